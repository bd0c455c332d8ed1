// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/step_problem.h"

#include <cstdint>
#include <functional>

#include "solver/parallel/parallel_for.h"
#include "solver/parallel/parallel_reduce.h"

namespace sluice::integrator {

namespace {
constexpr std::int64_t step_problem_grain = 4096;
}

double energy(const StepProblem& problem, std::span<const Vec3> x) {
  double sum = parallel::parallel_reduce(
      0, static_cast<std::int64_t>(x.size()), step_problem_grain, 0.0,
      [&](std::int64_t first, std::int64_t last) {
        double part = 0;
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
          if (is_held(problem, i)) continue;
          // Work of constant forces is counted from the target: less is lost to rounding.
          const Vec3 d = x[i] - problem.targets[i];
          part += 0.5 * problem.inertia[i] * d.squaredNorm();
          if (!problem.forces.empty()) part -= problem.forces[i].dot(d);
        }
        return part;
      },
      std::plus<>());
  for (const solid::Potential* potential : problem.potentials)
    sum += potential->energy(x);
  return sum;
}

void compute_gradient(const StepProblem& problem, std::span<const Vec3> x,
                      std::span<Vec3> gradient) {
  const auto for_each = [&](const auto& body) {
    parallel::parallel_for(0, static_cast<std::int64_t>(x.size()), step_problem_grain,
                           [&](std::int64_t first, std::int64_t last) {
                             for (std::int64_t i = first; i < last; ++i)
                               body(static_cast<std::size_t>(i));
                           });
  };
  for_each([&](std::size_t i) {
    gradient[i].setZero();
    if (is_held(problem, i)) return;
    gradient[i] = problem.inertia[i] * (x[i] - problem.targets[i]);
    if (!problem.forces.empty()) gradient[i] -= problem.forces[i];
  });
  for (const solid::Potential* potential : problem.potentials)
    potential->add_gradient(x, gradient);
  for_each([&](std::size_t i) {
    if (is_held(problem, i)) gradient[i].setZero();
  });
}

std::vector<linalg::ElementGroup> element_groups(
    std::span<const solid::Potential* const> potentials) {
  std::vector<linalg::ElementGroup> groups;
  for (const solid::Potential* potential : potentials) {
    groups.push_back({potential->vertices_per_element(), potential->rows(), potential->stencils(),
                      potential->maps()});
  }
  return groups;
}

}  // namespace sluice::integrator
