// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "solver/integrator/descent.h"
#include "solver/integrator/projection_matrix.h"
#include "solver/integrator/step_hessian.h"
#include "solver/linalg/pcg.h"

namespace sluice::integrator {

/// Implicit steps by inexact Newton: conjugate gradients on the projected Hessian, preconditioned
/// by the factored matrix of projective dynamics.
class NewtonPcg final : public Integrator {
 public:
  NewtonPcg(std::span<const solid::Potential* const> potentials, std::size_t vertex_count);

  StepReport step(const StepProblem& problem, const StoppingRule& rule, std::span<Vec3> x) override;

 private:
  StepHessian hessian_;
  ProjectionMatrix projection_;
  linalg::Pcg pcg_;
  Descent descent_;
};

}  // namespace sluice::integrator
