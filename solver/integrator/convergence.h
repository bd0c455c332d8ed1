// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "solver/integrator/integrator.h"
#include "solver/types.h"

namespace sluice::integrator {

/// Measures the residual of one step's iterates, and says when to stop.
class Convergence {
 public:
  Convergence(const StepProblem& problem, const StoppingRule& rule)
      : Convergence(problem, rule, element_stiffness(problem.potentials)) {}
  /// `stiffness` is that of element_stiffness().
  Convergence(const StepProblem& problem, const StoppingRule& rule, double stiffness);

  /// [N/m] sqrt(sum_e (w_e |G_e|^2)^2), to which the rounding of forces is proportional.
  [[nodiscard]] static double element_stiffness(
      std::span<const solid::Potential* const> potentials);

  /// Takes `gradient` at the iterate number `iteration`; fills `report` and returns whether to
  /// stop, converged or not. Where the rule has no scale of forces, the first gradient taken is the
  /// scale: it counts as the gradient at the predictor (where the predictor has no energy, it is
  /// the one at the start by `set_start`).
  bool stop(int iteration, std::span<const Vec3> x, std::span<const Vec3> gradient,
            StepReport& report);

  /// The same where the gradient's norm [N] is known already, and the caller calls the observer.
  bool stop(int iteration, double gradient_norm, StepReport& report);

 private:
  const StoppingRule& rule_;
  double force_scale_, rounding_ = 0;
};

/// Writes a point to start from to `x`, which holds x^n: the problem's start, or the predictor; or,
/// where an element has no energy there, as far towards it as energy is finite. Held vertices are
/// at their targets. False if there is no such point.
[[nodiscard]] bool set_start(const StepProblem& problem, std::vector<Vec3>& scratch,
                             std::span<Vec3> x);

}  // namespace sluice::integrator
