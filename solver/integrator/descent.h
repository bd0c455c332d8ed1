// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "solver/integrator/convergence.h"
#include "solver/integrator/integrator.h"
#include "solver/types.h"

namespace sluice::integrator {

/// Given x and the gradient there, writes a direction of descent.
using SearchDirection = std::function<void(std::span<const Vec3> x, std::span<const Vec3> gradient,
                                           std::span<Vec3> direction)>;

/// How far a descent goes along its direction.
enum class StepLength {
  /// From 1 down by halves, until the energy is finite and falls by Armijo's rule. [Yang2023]
  /// Algorithm 1, with the slope of the direction in place of |d|^2; where rounding hides which
  /// energy is lower, until the slope says that the minimum is near.
  armijo,
  /// The same, from twice the length of the iteration before: for directions without a scale.
  armijo_from_last,
  /// Always 1, without a test: for directions that minimise a majoriser of the energy.
  unit,
};

/// The loop of all methods that go from iterate to iterate along directions of descent. Keeps its
/// vectors between steps.
class Descent {
 public:
  /// Solves a step. [Nocedal2006] 3.1
  StepReport run(const StepProblem& problem, const StoppingRule& rule, StepLength length,
                 const SearchDirection& search_direction, std::span<Vec3> x);

  /// Goes on from `x`, where energy is finite, as iterate number `iteration`.
  StepReport go_on(const StepProblem& problem, Convergence& convergence, int iteration,
                   StepLength length, const SearchDirection& search_direction, std::span<Vec3> x);

 private:
  /// Moves `x` along direction_; false if no length will do.
  bool search(const StepProblem& problem, double slope, double& length, double& energy_at_x,
              std::span<Vec3> x);

  std::vector<Vec3> gradient_, direction_, trial_, trial_gradient_;
  double energy_rounding_ = 0;  ///< [J] Differences of energies below it mean nothing.
};

}  // namespace sluice::integrator
