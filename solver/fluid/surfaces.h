// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "solver/types.h"

namespace sluice::fluid {

/// The surfaces of solids in a substep: what they part exchanges no momentum through the grid.
struct Surfaces {
  std::span<const Vec3> positions;             ///< [m] of vertices, at the start of the substep
  std::span<const TriangleIndices> triangles;  ///< Of these, whichever way round.
};

}  // namespace sluice::fluid
