// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "solver/integrator/descent.h"

namespace sluice::integrator {

/// Implicit steps along the negative gradient, with Armijo's rule. [Yang2023] Algorithm 1. It needs
/// about as many iterations as stiffness exceeds inertia: a reference, not for use.
class SteepestDescent final : public Integrator {
 public:
  StepReport step(const StepProblem& problem, const StoppingRule& rule, std::span<Vec3> x) override;

 private:
  Descent descent_;
};

}  // namespace sluice::integrator
