// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>

#include "solver/integrator/step_problem.h"
#include "solver/types.h"

namespace sluice::integrator {

/// Is called with each iterate as it comes, number 0 the start.
using IterateObserver = std::function<void(int iteration, std::span<const Vec3> x)>;

/// The rule of when a step is solved, the same for all integrators: the norm of the gradient of its
/// energy, over the vertices that are not held, is at most `relative_residual` of the norm at the
/// predictor (all vertices at their targets); or it is down at rounding, as for a body at rest.
struct StoppingRule {
  double relative_residual = 1e-3;
  int max_iterations = 200;
  /// [N] The norm that the residual is relative to, if it is known from a problem before; 0: the
  /// norm of the gradient at the predictor.
  double force_scale = 0;
  IterateObserver observer = {};  ///< May be empty.
};

enum class StepStatus {
  converged,
  iteration_limit,
  no_descent,  ///< No point along the search direction lowers the energy.
  no_energy,   ///< The energy is infinite wherever a start was tried: elements are inverted.
  not_finite,  ///< A position or the gradient overflowed.
  unstable,    ///< For explicit steps only: the step is longer than is stable.
};

/// The status in words, for messages.
[[nodiscard]] const char* describe(StepStatus status);

struct StepReport {
  StepStatus status = StepStatus::iteration_limit;
  int iterations = 0;
  double residual = 0;     ///< Gradient norm over `force_scale`; 0 where it is down at rounding.
  double force_scale = 0;  ///< [N] Gradient norm at the predictor, or the rule's.
  double energy = 0;       ///< [J] of the step, at the end

  [[nodiscard]] bool is_converged() const { return status == StepStatus::converged; }
};

/// A method that solves implicit steps (or takes explicit ones instead). Made for given potentials
/// and number of vertices; keeps between steps only data that depends on those and on inertia
/// alone: a step's result depends on its arguments only.
///
/// Same bits for any number of threads. One step at a time per object.
class Integrator {
 public:
  virtual ~Integrator() = default;

  /// Steps from the positions x^n in `x` to x^{n+1}. `problem.potentials` are those it was made
  /// for. Where the report is not converged, `x` holds the last iterate, which may not be finite.
  virtual StepReport step(const StepProblem& problem, const StoppingRule& rule,
                          std::span<Vec3> x) = 0;
};

}  // namespace sluice::integrator
