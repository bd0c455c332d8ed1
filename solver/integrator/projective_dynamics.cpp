// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/projective_dynamics.h"

#include <algorithm>

#include "solver/solid/length_potential.h"

namespace sluice::integrator {

ProjectiveDynamics::ProjectiveDynamics(std::span<const solid::Potential* const> potentials,
                                       std::size_t vertex_count)
    : matrix_(potentials, vertex_count) {
  const bool lengths_alone = std::ranges::all_of(potentials, [](const solid::Potential* potential) {
    return dynamic_cast<const solid::LengthPotential*>(potential) != nullptr;
  });
  length_ = lengths_alone ? StepLength::unit : StepLength::armijo;
}

StepReport ProjectiveDynamics::step(const StepProblem& problem, const StoppingRule& rule,
                                    std::span<Vec3> x) {
  if (!matrix_.prepare(problem)) return {.status = StepStatus::not_finite};
  return descent_.run(
      problem, rule, length_,
      [&](std::span<const Vec3>, std::span<const Vec3> gradient, std::span<Vec3> direction) {
        matrix_.solve(gradient, direction);
        for (Vec3& d : direction)
          d = -d;
      },
      x);
}

}  // namespace sluice::integrator
