// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/pressure/coarse_ties.h"

#include <array>
#include <map>
#include <utility>

#include "solver/parallel/parallel_for.h"

namespace sluice::fluid::grid {
namespace {

constexpr std::int64_t coarse_ties_grain = 4096;  // Cells.

// On the first coarse level a body costs less than a cycle of the whole multigrid, in all; on the
// second an eighth of that.
constexpr std::size_t most_on_first = 2, most_on_second = 16;

// In 2D only three columns of a body are not 0.
constexpr std::size_t columns_of_body = 6;

}  // namespace

template <int D>
std::size_t CoarseTies<D>::level_for(std::size_t body_count) {
  if (body_count == 0 || body_count > most_on_second) return 0;
  return body_count <= most_on_first ? 1 : 2;
}

template <int D>
CoarseTies<D>::CoarseTies(std::span<const RigidTie> ties, const Tiles<D>& fine,
                          const Tiles<D>& coarse, std::size_t level, const Inverse& inverse)
    : size_(coarse.array_size()) {
  const auto count = static_cast<Eigen::Index>(columns_of_body * ties.size());
  Eigen::MatrixXd inertia = Eigen::MatrixXd::Zero(count, count);
  for (std::size_t b = 0; b < ties.size(); ++b) {
    const RigidTie& tie = ties[b];
    std::map<std::size_t, std::array<double, columns_of_body>> rows;
    for (std::size_t n = 0; n < tie.cells.size(); ++n) {
      Cell<D> cell = fine.cell(tie.cells[n]);
      for (std::int32_t& c : cell)
        c >>= static_cast<int>(level);
      auto& row = rows.try_emplace(coarse.find_cell(cell)).first->second;
      for (std::size_t i = 0; i < columns_of_body; ++i)
        row[i] += tie.rows[n][i];
    }
    for (std::size_t i = 0; i < columns_of_body; ++i) {
      std::vector<Entry>& column = columns_.emplace_back();
      for (const auto& [cell, row] : rows)
        column.push_back({cell, row[i]});
    }
    const auto first = static_cast<Eigen::Index>(columns_of_body * b);
    inertia.diagonal().segment<3>(first).setConstant(1 / tie.inverse_mass);
    inertia.block<3, 3>(first + 3, first + 3) = tie.inverse_inertia.inverse();
  }
  for (const std::vector<Entry>& column : columns_) {
    Array<float> source(size_, 0);
    for (const Entry& entry : column)
      source[entry.cell] = static_cast<float>(entry.value);
    inverse(source.data(), answers_.emplace_back(size_, 0.0F).data());
  }
  for (Eigen::Index i = 0; i < count; ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) {
      // Symmetric but for rounding.
      inertia(i, j) +=
          press(static_cast<std::size_t>(i), answers_[static_cast<std::size_t>(j)].data());
    }
  }
  inertia_.compute(inertia);  // Looks at the lower half alone.
}

template <int D>
double CoarseTies<D>::press(std::size_t column, const float* x) const {
  double sum = 0;
  for (const Entry& entry : columns_[column])
    sum += entry.value * static_cast<double>(x[entry.cell]);
  return sum;
}

template <int D>
void CoarseTies<D>::correct(float* x) const {
  Eigen::VectorXd pressed(static_cast<Eigen::Index>(columns_.size()));
  for (std::size_t i = 0; i < columns_.size(); ++i)
    pressed[static_cast<Eigen::Index>(i)] = press(i, x);
  const Eigen::VectorXf moves = inertia_.solve(pressed).template cast<float>();
  parallel::parallel_for(0, static_cast<std::int64_t>(size_), coarse_ties_grain,
                         [&](std::int64_t begin, std::int64_t end) {
                           for (std::size_t i = 0; i < columns_.size(); ++i) {
                             const float move = moves[static_cast<Eigen::Index>(i)];
                             if (move == 0) continue;
                             const float* const answer = answers_[i].data();
                             for (auto cell = static_cast<std::size_t>(begin);
                                  cell < static_cast<std::size_t>(end); ++cell)
                               x[cell] -= move * answer[cell];
                           }
                         });
}

template class CoarseTies<2>;
template class CoarseTies<3>;

}  // namespace sluice::fluid::grid
