// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "solver/integrator/descent.h"
#include "solver/integrator/projection_matrix.h"

namespace sluice::integrator {

/// Implicit steps by L-BFGS with the factored matrix of projective dynamics as the initial Hessian,
/// and Armijo's rule. [Liu2017] 4; two-loop recursion: [Nocedal2006] Algorithm 7.4.
class Lbfgs final : public Integrator {
 public:
  Lbfgs(std::span<const solid::Potential* const> potentials, std::size_t vertex_count);

  StepReport step(const StepProblem& problem, const StoppingRule& rule, std::span<Vec3> x) override;

 private:
  /// The last move s, and the change y of the gradient by it.
  struct Pair {
    std::vector<Vec3> s, y;
    double y_dot_s;
  };

  void remember(std::span<const Vec3> x, std::span<const Vec3> gradient);
  void write_direction(std::span<const Vec3> gradient, std::span<Vec3> direction);

  ProjectionMatrix matrix_;
  std::vector<Pair> pairs_;  ///< Oldest first.
  std::vector<Vec3> last_x_, last_gradient_;
  Descent descent_;
};

}  // namespace sluice::integrator
