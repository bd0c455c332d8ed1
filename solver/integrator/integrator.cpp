// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/integrator.h"

namespace sluice::integrator {

const char* describe(StepStatus status) {
  switch (status) {
    case StepStatus::converged:
      return "converged";
    case StepStatus::iteration_limit:
      return "the iteration limit came before convergence";
    case StepStatus::no_descent:
      return "no descent is left along the search direction";
    case StepStatus::no_energy:
      return "energy is infinite at the start: inverted elements, or speeds too large";
    case StepStatus::not_finite:
      return "forces are too large";
    case StepStatus::unstable:
      return "the step is longer than is stable";
  }
  return "";
}

}  // namespace sluice::integrator
