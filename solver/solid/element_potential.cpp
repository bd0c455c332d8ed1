// SPDX-License-Identifier: Apache-2.0
#include "solver/solid/element_potential.h"

#include <cassert>
#include <functional>
#include <utility>

#include "solver/parallel/parallel_reduce.h"

namespace sluice::solid {

namespace {
constexpr std::int64_t element_potential_grain = VertexGather::chunk;
}  // namespace

ElementPotential::ElementPotential(Tables tables, std::vector<double> weights)
    : tables_(std::move(tables)),
      weights_(std::move(weights)),
      gather_(tables_.stencils, static_cast<std::size_t>(tables_.vertices_per_element)) {
  [[maybe_unused]] const auto k = static_cast<std::size_t>(tables_.vertices_per_element);
  assert(tables_.stencils.size() == weights_.size() * k);
  assert(tables_.maps.size() == tables_.stencils.size() * static_cast<std::size_t>(tables_.rows));
}

double ElementPotential::energy(std::span<const Vec3> x) const {
  return parallel::parallel_reduce(
      0, static_cast<std::int64_t>(element_count()), element_potential_grain, 0.0,
      [&](std::int64_t first, std::int64_t last) {
        return energy_of(static_cast<std::size_t>(first), static_cast<std::size_t>(last), x);
      },
      std::plus<>());
}

void ElementPotential::add_gradient(std::span<const Vec3> x, std::span<Vec3> gradient) const {
  gather_.add([&](std::size_t first, std::size_t last,
                  std::span<Vec3> slots) { write_gradients(first, last, x, slots); },
              gradient);
}

void ElementPotential::map(std::size_t first, std::size_t last, std::span<const Vec3> x,
                           std::span<double> out) const {
  const auto write = [&]<int rows>(std::integral_constant<int, rows>) {
    for (std::size_t e = first; e < last; ++e) {
      Eigen::Map<Eigen::Matrix<double, 3, rows>> D(&out[std::size_t{3} * rows * (e - first)]);
      D = map_one<rows>(e, x).transpose();
    }
  };
  with_rows(write);
}

void ElementPotential::map_back(std::size_t first, std::size_t last, std::span<const double> S,
                                std::span<Vec3> out) const {
  const auto k = static_cast<std::size_t>(vertices_per_element());
  const auto write = [&]<int rows>(std::integral_constant<int, rows>) {
    for (std::size_t e = first; e < last; ++e) {
      const Eigen::Map<const Eigen::Matrix<double, 3, rows>> own(
          &S[std::size_t{3} * rows * (e - first)]);
      write_forces<rows>(e, own.transpose(), &out[k * (e - first)]);
    }
  };
  with_rows(write);
}

}  // namespace sluice::solid
