// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "solver/types.h"

namespace sluice::fluid {

/// The surfaces of solids in a substep: no momentum goes from side to side through the grid.
struct Surfaces {
  std::span<const Vec3> positions;             ///< [m] of vertices, at the start of the substep
  std::span<const TriangleIndices> triangles;  ///< Indices into these; any orientation.
};

}  // namespace sluice::fluid
