// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "solver/linalg/elements.h"
#include "solver/solid/potential.h"
#include "solver/types.h"

namespace sluice::integrator {

/// Returns how far all vertices may go from x along a direction at once, in [0, longest] times it.
using StepLimit =
    std::function<double(std::span<const Vec3> x, std::span<const Vec3> direction, double longest)>;

/// One implicit step: to minimise
///     E(x) = sum_i inertia_i / 2 |x_i - target_i|^2 + Psi(x) - sum_i f_i . x_i,
/// Psi the sum of the potentials. [Yang2023] (2.15). The targets are the inertial predictor y.
struct StepProblem {
  std::span<const double> inertia;  ///< [N/m] m / h^2; infinite for a held vertex.
  std::span<const Vec3> targets;    ///< [m] Where a held vertex goes.
  std::span<const Vec3> forces;     ///< [N] f: those that do not depend on x; or empty.
  std::span<const solid::Potential* const> potentials;
  /// [m] Where to begin, instead of at the predictor: a point near the solution, as of a problem
  /// with other forces, where energy is finite. Or empty. Held vertices begin at their targets.
  std::span<const Vec3> start = {};
  /// The limit of each step, where an energy has walls that it could jump over (contact's barrier);
  /// or empty. Methods that search along lines (Descent with Armijo's rule) ask it before each
  /// search; the others do without.
  StepLimit step_limit = {};
};

[[nodiscard]] inline bool is_held(const StepProblem& problem, std::size_t vertex) {
  return problem.inertia[vertex] == std::numeric_limits<double>::infinity();
}

/// [J] E(x), with held vertices at their targets; +infinity where an element has no energy.
[[nodiscard]] double energy(const StepProblem& problem, std::span<const Vec3> x);

/// Writes the gradient of E [N], 0 at held vertices. `energy` must be finite at `x`.
void compute_gradient(const StepProblem& problem, std::span<const Vec3> x,
                      std::span<Vec3> gradient);

/// Returns the potentials' stencils and maps, of which matrices are assembled; refers to them.
[[nodiscard]] std::vector<linalg::ElementGroup> element_groups(
    std::span<const solid::Potential* const> potentials);

}  // namespace sluice::integrator
