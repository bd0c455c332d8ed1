// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/loose_parts.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sluice::integrator {

LooseParts::LooseParts(std::span<const solid::Potential* const> potentials,
                       std::size_t vertex_count)
    : part_(vertex_count) {
  // Trees whose roots are their least vertices, with paths halved on the way. [Tarjan1984]
  std::iota(part_.begin(), part_.end(), 0);
  const auto parent = [&](std::int32_t v) -> std::int32_t& {
    return part_[static_cast<std::size_t>(v)];
  };
  const auto root = [&](std::int32_t v) {
    while (parent(v) != v)
      v = parent(v) = parent(parent(v));
    return v;
  };
  for (const solid::Potential* potential : potentials) {
    const auto stencils = potential->stencils();
    const auto k = static_cast<std::size_t>(potential->vertices_per_element());
    for (std::size_t n = 0; n < stencils.size(); ++n) {
      const std::int32_t a = root(stencils[n - n % k]), b = root(stencils[n]);
      parent(std::max(a, b)) = std::min(a, b);
    }
  }
  // Numbers in the order of the roots: a root comes before all that lead to it.
  std::int32_t count = 0;
  for (std::size_t v = 0; v < vertex_count; ++v) {
    const bool is_root = part_[v] == static_cast<std::int32_t>(v);
    part_[v] = is_root ? count++ : parent(part_[v]);
  }
  sums_.resize(static_cast<std::size_t>(count));
}

void LooseParts::place(const StepProblem& problem, std::span<Vec3> x) {
  std::ranges::fill(sums_, Sums{0, Vec3::Zero()});
  for (std::size_t i = 0; i < x.size(); ++i) {
    Sums& sums = sums_[static_cast<std::size_t>(part_[i])];
    sums.inertia += problem.inertia[i];
    if (is_held(problem, i)) continue;
    sums.force += problem.inertia[i] * (problem.targets[i] - x[i]);
    if (!problem.forces.empty()) sums.force += problem.forces[i];
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Sums& sums = sums_[static_cast<std::size_t>(part_[i])];
    if (std::isfinite(sums.inertia)) x[i] += sums.force / sums.inertia;
  }
}

}  // namespace sluice::integrator
