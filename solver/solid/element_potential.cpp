// SPDX-License-Identifier: Apache-2.0
#include "solver/solid/element_potential.h"

#include <cassert>
#include <functional>
#include <utility>

#include "solver/parallel/parallel_for.h"
#include "solver/parallel/parallel_reduce.h"

namespace sluice::solid {

namespace {
// Elements: 10 us or more of the cheapest kind. A multiple of the SIMD packets, so that chunks fill
// them.
constexpr std::int64_t grain = 1024;
}  // namespace

ElementPotential::ElementPotential(Tables tables, std::vector<double> weights)
    : tables_(std::move(tables)),
      weights_(std::move(weights)),
      gather_(tables_.stencils),
      slots_(tables_.stencils.size()) {
  [[maybe_unused]] const auto k = static_cast<std::size_t>(tables_.vertices_per_element);
  assert(tables_.stencils.size() == weights_.size() * k);
  assert(tables_.maps.size() == tables_.stencils.size() * static_cast<std::size_t>(tables_.rows));
}

double ElementPotential::energy(std::span<const Vec3> x) const {
  return parallel::parallel_reduce(
      0, static_cast<std::int64_t>(element_count()), grain, 0.0,
      [&](std::int64_t first, std::int64_t last) {
        return energy_of(static_cast<std::size_t>(first), static_cast<std::size_t>(last), x);
      },
      std::plus<>());
}

void ElementPotential::add_gradient(std::span<const Vec3> x, std::span<Vec3> gradient) const {
  parallel::parallel_for(0, static_cast<std::int64_t>(element_count()), grain,
                         [&](std::int64_t first, std::int64_t last) {
                           write_gradients(static_cast<std::size_t>(first),
                                           static_cast<std::size_t>(last), x, slots_);
                         });
  gather_.add(slots_, gradient);
}

}  // namespace sluice::solid
