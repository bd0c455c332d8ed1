// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "solver/types.h"

namespace sluice::fluid {

/// The response of solids to impulses in a substep, their elasticity included.
class ImpulseResponse {
 public:
  virtual ~ImpulseResponse() = default;

  /// Finds the changes of the vertices' velocities [m/s] by `impulses` [N s], one each: linear,
  /// symmetric and positive semidefinite.
  virtual void respond(std::span<const Vec3> impulses, std::span<Vec3> changes) = 0;

  /// Attaches fluid, which moves with the vertices in this substep and which impulses have to move
  /// too from now on: `masses` [kg] by direction; symmetric and positive semidefinite.
  virtual void attach(std::span<const Mat3> masses) = 0;

  /// Whether impulses change the velocity of a vertex: none does where it is held.
  [[nodiscard]] virtual bool answers(std::size_t vertex) const {
    static_cast<void>(vertex);
    return true;
  }
};

/// A point of a solid. Its motion is the weighted sum of its vertices' motions.
struct SolidPoint {
  std::array<std::uint32_t, 4> vertices;
  std::array<double, 4> weights;  ///< They sum up to 1; 0 for vertices that are not used.
  double volume;                  ///< [m^3] Fluid that the solid around it displaces; 0 in a sheet.
  std::uint32_t body;             ///< The index of its body, from 0.
};

/// Solids that deform in a fluid, in a substep. In two dimensions they are slices of bodies as deep
/// as the domain, by their outlines in its plane; in three, surfaces. Or, in both, they are points
/// (immersed/immersed_points.h), and nothing else.
struct ImmersedSolids {
  std::span<const Vec3> positions;   ///< [m] as expected at the end of the substep
  std::span<const Vec3> velocities;  ///< [m/s] in the substep, if there were no fluid
  /// In two dimensions: outlines, each closed: seen with x to the right and z up, the solid is on
  /// the left of an edge.
  std::span<const EdgeIndices> rim = {};
  std::span<const std::uint8_t> sticks = {};  ///< By edge of `rim`: 1 where gas sticks to it.
  /// In three dimensions: a sheet, or the whole surface of a body.
  struct Surface {
    std::span<const TriangleIndices> triangles;  ///< Counterclockwise from outside of a body.
    bool is_closed = false;                      ///< Whether it encloses a body,
    bool sticks = false;                         ///< and whether gas sticks to it.
  };
  std::span<const Surface> surfaces = {};
  std::span<const SolidPoint> points = {};
  std::span<const Vec3> start_velocities = {};  ///< [m/s] With points: at the substep's start.
  ImpulseResponse* response = nullptr;  ///< Null: nothing that fluid does changes their velocities.

  [[nodiscard]] bool empty() const noexcept {
    return rim.empty() && surfaces.empty() && points.empty();
  }
};

}  // namespace sluice::fluid
