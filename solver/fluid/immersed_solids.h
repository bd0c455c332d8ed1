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
};

/// Solids that deform in a gas in two dimensions, in a substep: slices of bodies as deep as the
/// domain, by their outlines in its plane.
struct ImmersedSolids {
  std::span<const Vec3> positions;   ///< [m] at the end of the substep, as is to be expected
  std::span<const Vec3> velocities;  ///< [m/s] in it, if there were no gas
  /// Outlines, each closed: seen with x to the right and z up, solid is on an edge's left.
  std::span<const EdgeIndices> rim;
  std::span<const std::uint8_t> sticks;  ///< By edge: 1 where gas sticks to it.
  ImpulseResponse* response = nullptr;   ///< Null: nothing that gas does changes their velocities.
};

}  // namespace sluice::fluid
