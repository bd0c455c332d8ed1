// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "solver/integrator/descent.h"
#include "solver/integrator/step_hessian.h"
#include "solver/linalg/pcg.h"
#include "solver/linalg/sparse_cholesky.h"
#include "solver/linalg/two_level_pcg.h"

namespace sluice::integrator {

/// Implicit steps by Newton's method on the Hessian with its elements made positive semidefinite,
/// and Armijo's rule. A matrix is kept for further iterations while they bring the residual down to
/// a tenth each.
///
/// Systems are solved to 0.03 by conjugate gradients in float (linalg::TwoLevelPcg). Where these
/// fail, as for bodies much stiffer than their inertia, or for thin shells, the systems of the rest
/// of the step get a sparse Cholesky factorisation up to `largest_direct` vertices, and conjugate
/// gradients in double with block Jacobi beyond.
class ProjectedNewton final : public Integrator {
 public:
  static constexpr std::size_t largest_direct = 20'000;

  ProjectedNewton(std::span<const solid::Potential* const> potentials, std::size_t vertex_count,
                  std::size_t direct_up_to = largest_direct);

  StepReport step(const StepProblem& problem, const StoppingRule& rule, std::span<Vec3> x) override;

 private:
  void solve(std::span<const Vec3> b, double tolerance, std::span<Vec3> x);

  StepHessian hessian_;
  linalg::TwoLevelPcg two_level_;
  bool is_direct_allowed_;
  bool is_two_level_ = true, is_factored_ = false;            ///< State of the step at hand.
  int cg_iterations_ = 0;                                     ///< In the step at hand.
  std::unique_ptr<linalg::SparseCholesky<double>> cholesky_;  ///< Null until it is needed.
  linalg::Pcg pcg_;
  Descent descent_;
};

}  // namespace sluice::integrator
