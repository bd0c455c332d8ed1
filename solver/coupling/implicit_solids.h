// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "solver/integrator/integrator.h"
#include "solver/scene/scene.h"
#include "solver/solid/deformable_system.h"
#include "solver/solid/spring_potential.h"
#include "solver/types.h"

namespace sluice::coupling {

/// The deformable solids of a substep, solved whole by the scene's integrator: where their vertices
/// go under given forces of contact.
class ImplicitSolids {
 public:
  /// Refers to the elements of `solids`.
  ImplicitSolids(const scene::SolidSolver& settings, const solid::DeformableSystem& solids);

  /// Starts a substep from `x_n` towards the targets of `term`; both stay as they are until the
  /// next call. `likely` is near the solution, or empty.
  void begin(std::span<const Vec3> x_n, const solid::InertialTerm& term,
             std::span<const Vec3> likely = {});

  /// Solves for `forces` [N], one a vertex, and writes the solution to `x`. The first solve of a
  /// substep begins at `likely`, or at the predictor, the others at the solution before. The
  /// residual is relative to the largest of these: the forces at the predictor or, with `likely`,
  /// those that accelerate the vertices, and `forces` of the solves since the first.
  [[nodiscard]] integrator::StepReport solve(std::span<const Vec3> forces, std::span<Vec3> x);

  /// Returns the body with the largest residual at `x` under `forces`.
  [[nodiscard]] const std::string& worst_body(const solid::DeformableSystem& solids,
                                              std::span<const Vec3> forces,
                                              std::span<const Vec3> x);

 private:
  integrator::StoppingRule rule_;
  solid::SpringPotential springs_;
  std::vector<const solid::Potential*> potentials_;
  std::unique_ptr<integrator::Integrator> integrator_;
  std::span<const Vec3> x_n_;
  const solid::InertialTerm* term_ = nullptr;
  std::vector<Vec3> solution_, gradient_;
  bool is_started_ = false;  ///< `solution_` is one of this substep.
};

}  // namespace sluice::coupling
