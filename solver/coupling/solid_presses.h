// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solver/coupling/press.h"
#include "solver/coupling/pressed_solids.h"
#include "solver/coupling/rigid_step.h"
#include "solver/coupling/surface_contact.h"
#include "solver/coupling/walls.h"
#include "solver/scene/scene.h"
#include "solver/solid/deformable_system.h"
#include "solver/types.h"

namespace sluice::coupling {

/// The contacts of a substep's solids, with each other and with walls, as presses: makes them from
/// the contacts that SurfaceContact, Walls and RigidStep find, and gives these the solved forces.
///
/// The stiffness of a press is a multiple of the resistance on its two sides: a few rounds of
/// minimising and taking forces are enough, and matrices stay as good as they are without. Forces
/// at walls are kept from substep to substep of a frame, as SurfaceContact keeps those of pairs.
class SolidPresses {
 public:
  SolidPresses(const solid::DeformableSystem& solids, const scene::Coupling& coupling);

  void begin_frame() { kept_.clear(); }

  /// Makes the presses of all contacts where the points are those of `pressed`, in a substep of `h`
  /// seconds; `contact` has evaluated its pairs there.
  void collect(double h, const SurfaceContact& contact, const Walls& walls, RigidStep& rigid,
               const PressedSolids& pressed);

  [[nodiscard]] std::span<const Press> presses() const noexcept { return presses_; }
  /// [N] Returns the pressing forces of all presses, in quadrature.
  [[nodiscard]] double load() const;

  /// [m] Returns the largest change of a force over its press's stiffness, if it were taken now.
  [[nodiscard]] double largest_change(const PressedSolids& pressed) const;

  /// Takes the forces where the minimisation has left `pressed`: gives them to `contact` and to the
  /// touches of `rigid`, and sets `wall_forces` [N], by vertex, to those on deformable solids.
  void take(const PressedSolids& pressed, SurfaceContact& contact, RigidStep& rigid,
            std::span<Vec3> wall_forces);

 private:
  /// A point at a wall.
  struct WallKey {
    std::int64_t point;  ///< A deformable vertex; or the key of a rigid body's touch.
    std::int32_t feature;
    friend auto operator<=>(const WallKey&, const WallKey&) = default;
  };
  struct WallPress {
    WallKey key;
    std::int32_t rigid_body = -1;  ///< Index into DeformableSystem::rigid_bodies, or -1.
    std::size_t touch = 0;         ///< Index among that body's touches.
    double lambda = 0;             ///< [N]
    Vec3 friction = Vec3::Zero();  ///< [N]
  };

  void add_pair(const SurfaceContact::Contact& contact, const PressedSolids& pressed);
  void add_planes(const WallPoint& point, const Press& shape, WallPress wall, const Walls& walls,
                  const PressedSolids& pressed);
  [[nodiscard]] bool complete(Press& press, const PressedSolids& pressed) const;

  const solid::DeformableSystem& solids_;
  double contact_distance_;          ///< [m]
  double shortest_slip_;             ///< [m] in which friction may rise to its limit.
  std::vector<Press> presses_;       ///< Presses of pairs, then of walls.
  std::vector<std::int32_t> pairs_;  ///< By press of a pair: its place in solid_contacts.
  std::vector<WallPress> walls_;     ///< By press of a wall.
  std::vector<WallPress> kept_;      ///< The presses of walls of the last `take`, by ascending key.
  std::vector<WallPlane> planes_;
};

}  // namespace sluice::coupling
