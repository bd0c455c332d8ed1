// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "solver/coupling/press.h"
#include "solver/coupling/rigid_frames.h"
#include "solver/coupling/rigid_step.h"
#include "solver/integrator/integrator.h"
#include "solver/integrator/step_hessian.h"
#include "solver/scene/scene.h"
#include "solver/solid/deformable_system.h"
#include "solver/solid/spring_potential.h"
#include "solver/types.h"

namespace sluice::coupling {

/// All solids of a substep in one minimisation, by Newton's method: the vertices of deformable
/// solids, the points that carry free rigid bodies (rigid_frames.h), and presses between them and
/// at walls. Where there are no presses, deformable solids are solved for as without contact.
class PressedSolids {
 public:
  /// Refers to the elements of `solids`. Forces that move a vertex by less than a millionth of
  /// `contact_distance` [m] count as none.
  PressedSolids(const scene::SolidSolver& settings, double contact_distance,
                const solid::DeformableSystem& solids);

  /// Starts a substep of `h` seconds towards the targets of `term`, after begin_step() of dampers,
  /// and towards where `rigid` has free bodies go. `likely` is near where vertices end, or empty.
  void begin(double h, const solid::InertialTerm& term, const RigidStep& rigid,
             std::span<const Vec3> likely);

  /// Iterations of Newton's method that the scene allows for a substep.
  [[nodiscard]] int most_iterations() const noexcept { return rule_.max_iterations; }

  /// Minimises from the present points, under `forces` [N], one a vertex, in `most_iterations`. The
  /// residual is relative to the forces that take vertices from where they are, at rest, to their
  /// targets.
  [[nodiscard]] integrator::StepReport solve(std::span<const Vec3> forces,
                                             std::span<const Press> presses, int most_iterations);

  /// [m] All points: the vertices, those of rigid bodies as carried along, then the points of
  /// RigidFrames.
  [[nodiscard]] std::span<const Vec3> points() const noexcept { return x_; }
  /// [N/m] Returns how hard a point resists a force on it alone, as a matrix: inertia and
  /// elasticity at the start. Infinite for a held point.
  [[nodiscard]] Mat3 resistance(std::int32_t point) const;
  [[nodiscard]] const RigidFrames& frames() const noexcept { return frames_; }

  /// Returns the body with the largest inertial force left over by the last `solve`.
  [[nodiscard]] const std::string& worst_body() const;

 private:
  void set_forces(std::span<const Vec3> forces);

  const solid::DeformableSystem& solids_;
  double tiny_;  ///< [m] A way that counts as none.
  integrator::StoppingRule rule_;
  solid::SpringPotential springs_;
  std::vector<const solid::Potential*> elastic_;
  std::unique_ptr<integrator::Integrator> free_;  ///< Solver without presses.
  RigidFrames frames_;
  integrator::StepHessian at_start_;  ///< Hessian of the vertices, without presses.
  // State of the substep, by point.
  std::vector<double> inertia_;
  std::vector<Vec3> targets_, forces_, x_;
};

}  // namespace sluice::coupling
