// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/pressure/tied_surfaces.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "solver/parallel/parallel_for.h"

namespace sluice::fluid::grid {
namespace {

constexpr std::size_t column_count = 6;  // For each body.
using Square = Eigen::Matrix<double, column_count, column_count>;
using Column = Eigen::Matrix<double, column_count, 1>;

// A combination of a body's columns whose eigenvalue is less than this part of the largest one is
// left out: its columns are the same but for rounding.
constexpr double least_part = 1e-8;

Eigen::Map<const Column> as_column(const Motion& motion) {
  return Eigen::Map<const Column>(motion.data());
}

Motion as_motion(const Column& column) {
  Motion motion;
  Eigen::Map<Column>(motion.data()) = column;
  return motion;
}

// The sum of column-by-column products of two sorted lists.
template <typename Columns>
Square product(const Columns& a, const Columns& b) {
  Square sum = Square::Zero();
  auto other = b.begin();
  for (const auto& entry : a) {
    while (other != b.end() && other->cell < entry.cell)
      ++other;
    if (other == b.end()) break;
    if (other->cell == entry.cell)
      sum += as_column(entry.values) * as_column(other->values).transpose();
  }
  return sum;
}

}  // namespace

template <int D>
bool TiedSurfaces<D>::are_few(std::size_t body_count) noexcept {
  constexpr std::size_t most = 16;
  return body_count > 0 && body_count <= most;
}

template <int D>
void TiedSurfaces<D>::find_columns(const PoissonSystem<D>& system, const RigidTie& tie,
                                   Columns& modes, Columns& images) {
  Square pressed = Square::Zero();  // K Z
  Columns parts;
  for (std::size_t n = 0; n < tie.cells.size(); ++n) {
    const std::uint32_t index = tie.cells[n];
    const std::size_t tile = index / tile_size<D>, cell = index % tile_size<D>;
    const auto* const general = system.general(tile);
    const double inverse_diagonal = static_cast<double>(
        general == nullptr ? 1 / (static_cast<float>(side_count<D>) * system.uniform())
                           : general->inverse_diagonal(cell));
    const Column row = as_column(tie.rows[n]), mode = inverse_diagonal * row;
    modes.push_back({index, as_motion(mode)});
    pressed += row * mode.transpose();
    double diagonal = general == nullptr ? 0 : static_cast<double>(general->fixed(cell));
    for (std::size_t side = 0; side < side_count<D>; ++side) {
      const auto weight =
          static_cast<double>(general == nullptr ? system.uniform() : general->next(side, cell));
      if (weight == 0) continue;
      diagonal += weight;
      Cell<D> next = system.tiles().cell(index);
      next[side / 2] += side % 2 == 0 ? -1 : 1;
      parts.push_back(
          {static_cast<std::uint32_t>(system.tiles().find_cell(next)), as_motion(-weight * mode)});
    }
    parts.push_back({index, as_motion(diagonal * mode)});
  }
  Square response = Square::Zero();
  response.template topLeftCorner<3, 3>().diagonal().setConstant(tie.inverse_mass);
  response.template bottomRightCorner<3, 3>() = tie.inverse_inertia;
  const Square moved = response * pressed;
  for (std::size_t n = 0; n < tie.cells.size(); ++n)
    parts.push_back({tie.cells[n], as_motion(moved.transpose() * as_column(tie.rows[n]))});
  const auto comes_before = [](const Entry& a, const Entry& b) { return a.cell < b.cell; };
  std::sort(modes.begin(), modes.end(), comes_before);
  std::stable_sort(parts.begin(), parts.end(), comes_before);
  for (const Entry& part : parts) {
    if (images.empty() || images.back().cell != part.cell) {
      images.push_back(part);
      continue;
    }
    for (std::size_t i = 0; i < column_count; ++i)
      images.back().values[i] += part.values[i];
  }
  // Combinations of columns that have nothing to do with each other.
  const Square inner = product(modes, images);
  const Eigen::SelfAdjointEigenSolver<Square> eigen(0.5 * (inner + inner.transpose()));
  const double largest = eigen.eigenvalues()[column_count - 1];
  Column scales = Column::Zero();
  for (Eigen::Index i = 0; i < scales.size(); ++i) {
    const double value = eigen.eigenvalues()[i];
    if (value > least_part * largest) scales[i] = 1 / std::sqrt(value);
  }
  const Square combinations = eigen.eigenvectors() * scales.asDiagonal();
  for (Columns* const columns : {&modes, &images}) {
    for (Entry& entry : *columns)
      entry.values = as_motion(combinations.transpose() * as_column(entry.values));
  }
}

template <int D>
TiedSurfaces<D>::TiedSurfaces(const PoissonSystem<D>& system, std::span<const RigidTie> ties)
    : modes_(ties.size()), images_(ties.size()), rest_(system.tiles().array_size()) {
  parallel::parallel_for(
      0, static_cast<std::int64_t>(ties.size()), 1, [&](std::int64_t begin, std::int64_t end) {
        for (auto b = static_cast<std::size_t>(begin); b < static_cast<std::size_t>(end); ++b)
          find_columns(system, ties[b], modes_[b], images_[b]);
      });
  const auto count = static_cast<Eigen::Index>(column_count * ties.size());
  Eigen::MatrixXd inner = Eigen::MatrixXd::Identity(count, count);
  for (std::size_t a = 0; a < ties.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      inner.block<column_count, column_count>(static_cast<Eigen::Index>(column_count * a),
                                              static_cast<Eigen::Index>(column_count * b)) =
          product(modes_[a], images_[b]);
    }
  }
  inner_.compute(inner);  // Looks at the lower half alone.
}

template <int D>
void TiedSurfaces<D>::apply(std::span<const float> r, std::span<float> z, const Inverse& inverse) {
  const Eigen::VectorXd of_r = press(modes_, r);
  const Eigen::VectorXd first = inner_.solve(of_r);
  std::copy(r.begin(), r.end(), rest_.begin());
  add(images_, -first, rest_);
  inverse(rest_, z);
  add(modes_, first, z);
  add(modes_, inner_.solve(of_r - press(images_, z)), z);
}

template <int D>
Eigen::VectorXd TiedSurfaces<D>::press(const std::vector<Columns>& all,
                                       std::span<const float> values) const {
  Eigen::VectorXd sums =
      Eigen::VectorXd::Zero(static_cast<Eigen::Index>(column_count * all.size()));
  for (std::size_t b = 0; b < all.size(); ++b) {
    auto of_body = sums.segment<column_count>(static_cast<Eigen::Index>(column_count * b));
    for (const Entry& entry : all[b])
      of_body += static_cast<double>(values[entry.cell]) * as_column(entry.values);
  }
  return sums;
}

template <int D>
void TiedSurfaces<D>::add(const std::vector<Columns>& all, const Eigen::VectorXd& factors,
                          std::span<float> values) const {
  for (std::size_t b = 0; b < all.size(); ++b) {
    const Column of_body =
        factors.segment<column_count>(static_cast<Eigen::Index>(column_count * b));
    for (const Entry& entry : all[b])
      values[entry.cell] += static_cast<float>(of_body.dot(as_column(entry.values)));
  }
}

template class TiedSurfaces<2>;
template class TiedSurfaces<3>;

}  // namespace sluice::fluid::grid
