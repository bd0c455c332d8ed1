// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "solver/coupling/walls.h"
#include "solver/solid/deformable_system.h"
#include "solver/types.h"

namespace sluice::coupling {

/// The result of stopping vertices.
struct ObstacleStop {
  std::int64_t count = 0;       ///< Vertices that were stopped.
  Vec3 impulse = Vec3::Zero();  ///< [N s] on these vertices
};

/// Ends the ways of vertices of deformable solids in a substep of `h` [s], from where `solids` have
/// them to `x` [m], before they pass through an obstacle, and leads out those that would end inside
/// of one. Walls::resolve() looks only at where a vertex ends, and takes one that is beyond an
/// obstacle thinner than its way for free; the stages after it in an iteration know no walls. Held
/// vertices go where they are told. Same bits for any number of threads.
ObstacleStop stop_at_obstacles(double h, const Walls& walls, const solid::DeformableSystem& solids,
                               std::span<Vec3> x);

}  // namespace sluice::coupling
