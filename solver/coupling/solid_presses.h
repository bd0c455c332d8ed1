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

/// The contacts of a substep's solids, with each other and with walls, as presses: makes them of
/// what SurfaceContact, Walls and RigidStep find, and gives these the forces that come of it.
///
/// The stiffness of a press is a multiple of what resists on its two sides: a few rounds of
/// minimising and taking forces are enough, and matrices stay as good as they are without. Forces
/// at walls are kept from substep to substep of a frame, as SurfaceContact keeps those of pairs.
class SolidPresses {
 public:
  SolidPresses(const solid::DeformableSystem& solids, const scene::Coupling& coupling);

  void begin_frame() { kept_.clear(); }

  /// Makes the presses of what is in contact where the points are those of `pressed`, in a substep
  /// of `h` seconds; pairs as `contact` has evaluated them there.
  void collect(double h, const SurfaceContact& contact, const Walls& walls, RigidStep& rigid,
               const PressedSolids& pressed);

  [[nodiscard]] std::span<const Press> presses() const noexcept { return presses_; }
  /// [N] What they press with, in quadrature.
  [[nodiscard]] double load() const;

  /// [m] The way that a press moves by at most, as things are, when forces are taken.
  [[nodiscard]] double largest_change(const PressedSolids& pressed) const;

  /// Takes the forces where the minimisation has left `pressed`, gives them to `contact`, and to
  /// the touches of `rigid`, and sets those of walls, `wall_forces` [N], by vertex.
  void take(const PressedSolids& pressed, SurfaceContact& contact, RigidStep& rigid,
            std::span<Vec3> wall_forces);

 private:
  /// A point at a wall.
  struct WallKey {
    std::int64_t point;  ///< Vertex of what deforms; or the key of a touch of a rigid body.
    std::int32_t feature;
    friend auto operator<=>(const WallKey&, const WallKey&) = default;
  };
  struct WallPress {
    WallKey key;
    std::int32_t rigid_body = -1;  ///< Index into DeformableSystem::rigid_bodies, or -1.
    std::size_t touch = 0;         ///< Of that body.
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
  std::vector<Press> presses_;       ///< Of pairs, then of walls.
  std::vector<std::int32_t> pairs_;  ///< By press of a pair: its place in solid_contacts.
  std::vector<WallPress> walls_;     ///< By press of a wall.
  std::vector<WallPress> kept_;      ///< Those of the last `take`, by ascending key.
  std::vector<WallPlane> planes_;
};

}  // namespace sluice::coupling
