// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/fluid/lattice/grid_frame.h"
#include "solver/fluid/mpm/node_bits.h"
#include "solver/fluid/particles/boundary.h"
#include "solver/scene/scene.h"
#include "solver/types.h"

namespace sluice::fluid {

/// A node inside an obstacle, which moves by what the fluid does outside of it.
struct InnerNode {
  std::uint8_t node;       ///< Within its block, as in NodeBlock.
  bool is_far;             ///< As SurfacePoint's: by the surface behind. Follows the nearer one's.
  std::uint32_t obstacle;  ///< The one that it is deepest in.
  Vec3f normal;            ///< Of that obstacle's surface, out of it.
  float reflection;        ///< In [0, 1]: the node's depth over the height of `outside`.
  Vec3f outside;           ///< Grid coordinates of a place straight above it, in the fluid.
};

/// A point of an obstacle's surface, next to a node.
struct SurfacePoint {
  std::uint8_t node;
  bool is_far;  ///< On the other side of something thin than the surface that is nearest to `node`.
  std::uint32_t obstacle;
  Vec3f normal;  ///< Out of the obstacle.
  Vec3f place;   ///< Grid coordinates.
};

/// What a block of nodes has of the obstacles.
struct NearObstacles {
  std::array<float, block_nodes> solid{};  ///< The part of each node's kernel inside obstacles.
  NodeBits inside = 0;                     ///< The nodes inside obstacles.
  std::vector<InnerNode> inner;            ///< Of those, the ones in obstacles that are not rough.
  std::vector<SurfacePoint> points;
};

/// Finds it for the block of nodes `key`. A node far enough inside for no particle to reach it is
/// no InnerNode.
[[nodiscard]] NearObstacles find_near_obstacles(const GridFrame& frame, scene::Kernel kernel,
                                                const Boundary& boundary, std::uint64_t key);

}  // namespace sluice::fluid
