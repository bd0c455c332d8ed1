// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "solver/integrator/integrator.h"
#include "solver/integrator/step_hessian.h"

namespace sluice::integrator {

/// Explicit symplectic Euler: v^{n+1} = v^n + h M^-1 f(x^n), x^{n+1} = x^n + h v^{n+1}, that is
/// x^{n+1} = y + inertia^-1 (f - gradient Psi(x^n)). It conserves linear and angular momentum to
/// rounding; it is stable while h < 2 / omega for every frequency omega of the body. [Hairer2006]
/// I.1
///
/// A longer step is refused: `unstable`, and x^n stays. The limit is that of the motion linearised
/// at x^n: omega^2 h^2 is the largest eigenvalue of inertia^-1 times the Hessian of Psi, found by
/// power iteration. Its report says how the result would do as an implicit step, whose residual it
/// does not make small; `converged` means stable.
class SymplecticEuler final : public Integrator {
 public:
  SymplecticEuler(std::span<const solid::Potential* const> potentials, std::size_t vertex_count);

  StepReport step(const StepProblem& problem, const StoppingRule& rule, std::span<Vec3> x) override;

  /// Returns the step's length over the longest stable one at `x`, (h omega) / 2: unstable above 1.
  [[nodiscard]] double stability_ratio(const StepProblem& problem, std::span<const Vec3> x);

 private:
  StepHessian hessian_;
  std::vector<Vec3> gradient_, image_, mode_;
};

}  // namespace sluice::integrator
