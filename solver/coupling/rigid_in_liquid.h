// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "solver/coupling/method.h"
#include "solver/coupling/particle_guard.h"
#include "solver/coupling/rigid_step.h"
#include "solver/coupling/solid_predictor.h"
#include "solver/coupling/walls.h"
#include "solver/fluid/abilities.h"
#include "solver/fluid/particle_fluid.h"
#include "solver/wrench.h"

namespace sluice::coupling {

/// The rigid bodies of a method whose liquid moves them by its pressure, [Batty2007] 4: gives them
/// to the pressure solve, takes its impulses, and holds particles off them.
///
/// A body that rests on the floor does not move, though pressure by itself would have it sink in
/// every substep: the force of contact on a body is expected again in the next one. At most twice
/// the body's weight is expected, so that an impact does not come twice, and a body that is light
/// for its pressure is not thrown by a contact that has gone. A body that the step filter has
/// stopped, for water that is shut in between it and a wall, stays for a substep: pressure that has
/// it go on would drive the water faster in each.
class RigidInLiquid {
 public:
  RigidInLiquid(const scene::Scene& scene, const solid::DeformableSystem& solids);

  /// [s] The longest substep in which no body goes further than half its radius: the flow may allow
  /// longer ones, and a body that goes through all that it could meet has no way out of it.
  [[nodiscard]] double longest_substep(const solid::DeformableSystem& solids) const;

  /// Before the fluid's part of a substep: gives it the bodies, as they move without it. The spans
  /// of `actions` must live until press().
  void immerse(double h, const ExternalActions& actions, const solid::DeformableSystem& solids,
               fluid::MovesRigidBodies& fluid);

  /// After the fluid's part: finds where its impulses take the bodies. An error if that is further
  /// than a substep can follow: a shorter one may succeed.
  [[nodiscard]] std::optional<Error> press(double h, const solid::DeformableSystem& solids,
                                           const fluid::MovesRigidBodies& fluid);
  /// [N], [N m] Forces of pressure and anchors by body, for the solids' part in place of anchors.
  [[nodiscard]] std::span<const Wrench> wrenches() const noexcept { return pressure_; }
  [[nodiscard]] std::span<const solid::Pose> ends() const noexcept { return ends_; }

  /// After press(): holds the liquid's particles off the bodies on their way (particle_guard.h),
  /// and adds to the report. `timer` may be null.
  void hold_off(double h, const ExternalActions& actions, const solid::DeformableSystem& solids,
                fluid::ParticleFluid& fluid, StageTimer* timer, SubstepReport& report);

  /// After the solids' part, which was done by `stepped`: tells the fluid the forces of contact to
  /// expect in the next substep, and the momenta owed to it that hold_off() has taken.
  void keep_contact(double h, const Vec3& gravity, const solid::DeformableSystem& solids,
                    const RigidStep& stepped, fluid::MovesRigidBodies& fluid);

  /// After the solids' part: whether contact gave energy that only elastic bodies could give.
  [[nodiscard]] bool have_blown_up(const Vec3& gravity,
                                   const solid::DeformableSystem& solids) const;

 private:
  struct Motion {
    Vec3 linear, angular;  ///< [m/s], [rad/s]
  };

  void pull(double h, std::span<const solid::Anchor> anchors,
            const solid::DeformableSystem& solids);
  /// Whether it stays where it is for a substep.
  [[nodiscard]] bool is_held(std::size_t body) const { return kept_[body].stopped != 0; }

  SolidPredictor predictor_;
  RigidStep free_;                         // The bodies without contact.
  ExternalActions known_;                  // Actions of the substep, anchors as wrenches.
  std::vector<Wrench> pulls_;              // [N] of anchors, by body
  std::vector<Wrench> pressure_;           // [N] by body, with the pulls
  std::vector<fluid::KeptContact> kept_;   // By body.
  std::vector<solid::RigidState> starts_;  // At the start of the substep.
  std::vector<Motion> told_;               // Motions by scripts; of free bodies unused.
  std::vector<solid::Pose> ends_;          // Ends by free_.
  std::vector<solid::Pose> carried_;       // Ends by the velocities that the pressure has.
  solid::InertialTerm term_;               // Scratch of free_.
  ParticleGuard guard_;
  Walls walls_;
  std::vector<Wrench> taken_;  // Momenta taken by hold_off().
};

}  // namespace sluice::coupling
