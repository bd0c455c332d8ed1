// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "solver/integrator/step_problem.h"
#include "solver/linalg/block_matrix.h"

namespace sluice::integrator {

/// The Hessian of a step's energy, with the Hessians of elements made positive semidefinite, so
/// that with the inertia it is positive definite.
class StepHessian {
 public:
  StepHessian(std::span<const solid::Potential* const> potentials, std::size_t vertex_count);

  const linalg::BlockMatrix& assemble(const StepProblem& problem, std::span<const Vec3> x);

  [[nodiscard]] const linalg::BlockMatrix& matrix() const { return matrix_; }

 private:
  linalg::BlockMatrix matrix_;
};

}  // namespace sluice::integrator
