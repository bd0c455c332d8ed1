// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <vector>

#include "solver/integrator/descent.h"
#include "solver/integrator/lane_vector.h"
#include "solver/integrator/newton_system.h"
#include "solver/integrator/spring_coarse.h"
#include "solver/integrator/spring_step.h"

namespace sluice::integrator {

/// Implicit steps of spring networks by inexact Newton without matrices: conjugate gradients on the
/// projected Hessian of the springs, in single precision, for displacements from the predictor,
/// preconditioned by block Jacobi and a coarse correction by patches.
///
/// The fastest for springs at equal error over all sizes and stiffnesses measured
/// (tests/bench/integrator_bench.cpp): a product with the Hessian reads 16 bytes a spring, so that
/// five to ten of them take the time of one solve with a factored matrix, and the true Hessian,
/// soft across the springs, needs few more of them than of those.
///
/// Down to a residual of 1e-4 all is done in float; from there the gradient and the energy are
/// those of the potentials, in double, and float serves the systems alone: any residual can be
/// reached. One thread.
class SpringNewton final : public Integrator {
 public:
  /// Every potential is a SpringPotential (asserted).
  SpringNewton(std::span<const solid::Potential* const> potentials, std::size_t vertex_count);

  StepReport step(const StepProblem& problem, const StoppingRule& rule, std::span<Vec3> x) override;

 private:
  void prepare_preconditioner();
  void solve_system(double tolerance);
  bool iterate_in_float(const StoppingRule& rule, Convergence& convergence, StepReport& report,
                        std::span<Vec3> x);

  SpringStep state_;
  SpringCoarse coarse_;
  LaneVector direction_, image_, step_, residual_, preconditioned_;
  std::array<Floats, 6> diagonal_;  ///< Diagonal blocks, then their factors L D L^T.
  double stiffness_sum_ = 0;        ///< [N/m] of all springs
  bool has_long_waves_ = false;
  ForcingTerm forcing_;
  Descent descent_;
};

}  // namespace sluice::integrator
