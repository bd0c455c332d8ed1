// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/steepest_descent.h"

#include <cstddef>

namespace sluice::integrator {

StepReport SteepestDescent::step(const StepProblem& problem, const StoppingRule& rule,
                                 std::span<Vec3> x) {
  return descent_.run(
      problem, rule, StepLength::armijo_from_last,
      [](std::span<const Vec3>, std::span<const Vec3> gradient, std::span<Vec3> direction) {
        for (std::size_t i = 0; i < gradient.size(); ++i)
          direction[i] = -gradient[i];
      },
      x);
}

}  // namespace sluice::integrator
