// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "solver/types.h"

namespace sluice::fluid {

/// What impulses do to solids in a substep, their elasticity included.
class ImpulseResponse {
 public:
  virtual ~ImpulseResponse() = default;

  /// The change of the vertices' velocities [m/s] by `impulses` [N s], one each: linear, symmetric
  /// and positive semidefinite.
  virtual void respond(std::span<const Vec3> impulses, std::span<Vec3> changes) = 0;

  /// In this substep, fluid moves with the vertices, and is to be heaved by impulses from now on:
  /// so much [kg] of it, by direction; symmetric and positive semidefinite.
  virtual void attach(std::span<const Mat3> masses) = 0;
};

/// Solids that deform in a fluid, in a substep. In two dimensions they are slices of bodies as deep
/// as the domain, by their outlines in its plane; in three, surfaces.
struct ImmersedSolids {
  std::span<const Vec3> positions;   ///< [m] at the end of the substep, as is to be expected
  std::span<const Vec3> velocities;  ///< [m/s] in it, if there were no fluid
  /// In two dimensions: outlines, each closed: seen with x to the right and z up, solid is on an
  /// edge's left.
  std::span<const EdgeIndices> rim = {};
  std::span<const std::uint8_t> sticks = {};  ///< By edge of `rim`: 1 where gas sticks to it.
  /// In three dimensions: a sheet, or all of what encloses a body.
  struct Surface {
    std::span<const TriangleIndices> triangles;  ///< Counterclockwise from outside of a body.
    bool is_closed = false;                      ///< Whether it encloses a body,
    bool sticks = false;                         ///< and whether gas sticks to it.
  };
  std::span<const Surface> surfaces = {};
  ImpulseResponse* response = nullptr;  ///< Null: nothing that fluid does changes their velocities.

  [[nodiscard]] bool empty() const noexcept { return rim.empty() && surfaces.empty(); }
};

}  // namespace sluice::fluid
