// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "solver/integrator/lane_vector.h"
#include "solver/integrator/step_problem.h"
#include "solver/linalg/sparse_cholesky.h"

namespace sluice::integrator {

/// The constant matrix of projective dynamics and of ADMM, A = diag(inertia) + sum_e w_e G_e^T G_e,
/// factored: float panels, to be used on residuals.
class ProjectionMatrix {
 public:
  ProjectionMatrix(std::span<const solid::Potential* const> potentials, std::size_t vertex_count);

  /// Factors the matrix for the inertia of `problem`, unless it is factored for that already. False
  /// if the matrix is not positive definite to rounding.
  [[nodiscard]] bool prepare(const StepProblem& problem);

  /// x = A^-1 b. May be in place.
  void solve(std::span<const Vec3> b, std::span<Vec3> x) { cholesky_.solve(b, x); }
  void solve(const LaneVector& b, LaneVector& x) {
    cholesky_.solve({b[0], b[1], b[2]}, {x[0], x[1], x[2]});
  }

 private:
  std::vector<linalg::ElementGroup> groups_;
  std::vector<std::span<const double>> weights_;
  linalg::SparsePattern pattern_;
  linalg::SparseCholesky<float> cholesky_;
  std::vector<double> entries_, inertia_;
};

}  // namespace sluice::integrator
