// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "solver/integrator/descent.h"
#include "solver/integrator/step_hessian.h"
#include "solver/linalg/pcg.h"
#include "solver/linalg/sparse_cholesky.h"

namespace sluice::integrator {

/// Implicit steps by Newton's method on the Hessian with its elements made positive semidefinite,
/// and Armijo's rule. Quadratic convergence near the solution where no element is so changed.
///
/// Systems are solved by a sparse Cholesky factorisation up to `largest_direct` vertices, and by
/// conjugate gradients with block Jacobi beyond, to a tolerance that falls with the residual.
class ProjectedNewton final : public Integrator {
 public:
  static constexpr std::size_t largest_direct = 20'000;

  ProjectedNewton(std::span<const solid::Potential* const> potentials, std::size_t vertex_count,
                  std::size_t direct_up_to = largest_direct);

  StepReport step(const StepProblem& problem, const StoppingRule& rule, std::span<Vec3> x) override;

 private:
  StepHessian hessian_;
  std::unique_ptr<linalg::SparseCholesky<double>> cholesky_;  ///< Null beyond that size.
  linalg::Pcg pcg_;
  Descent descent_;
};

}  // namespace sluice::integrator
