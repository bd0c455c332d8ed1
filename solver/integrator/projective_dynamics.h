// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "solver/integrator/descent.h"
#include "solver/integrator/projection_matrix.h"
#include "solver/integrator/spring_step.h"

namespace sluice::integrator {

/// Implicit steps by projective dynamics: x += A^-1 (-gradient E), A = diag(inertia) + sum_e w_e
/// G_e^T G_e factored once. [Bouaziz2014]; as a quasi-Newton method, and so for any energy:
/// [Liu2017].
///
/// For springs and bending (LengthPotential) this is local and global step to the letter: with z_e
/// the projection of D_e x onto the rest length, A x' = inertia y + f + sum_e w_e G_e^T z_e
/// subtracted from A x leaves A (x' - x) = -gradient E(x). A majorises their energy, and the step
/// is taken whole. Other energies may be stiffer than at rest: the step is shortened by Armijo's
/// rule.
///
/// Springs alone are solved in float down to a residual of 1e-4 (SpringStep), and in double from
/// there.
class ProjectiveDynamics final : public Integrator {
 public:
  ProjectiveDynamics(std::span<const solid::Potential* const> potentials, std::size_t vertex_count);

  StepReport step(const StepProblem& problem, const StoppingRule& rule, std::span<Vec3> x) override;

 private:
  /// The state of springs alone, iterated in float.
  struct InFloat {
    InFloat(std::span<const solid::Potential* const> potentials, std::size_t vertex_count)
        : state(potentials, vertex_count), step(vertex_count) {}
    SpringStep state;
    LaneVector step;
  };

  bool iterate_in_float(const StepProblem& problem, const StoppingRule& rule,
                        Convergence& convergence, StepReport& report, std::span<Vec3> x);

  ProjectionMatrix matrix_;
  StepLength length_;
  Descent descent_;
  std::unique_ptr<InFloat> in_float_;  ///< Null where not all are springs.
};

}  // namespace sluice::integrator
