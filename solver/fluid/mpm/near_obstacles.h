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

/// A node inside an obstacle, which moves by what the fluid does outside of it; or one that is so
/// close behind something thin that kernels reach through to it. A node in or behind something thin
/// is there twice: by the near side first, then its copies for particles on the far side. Obstacles
/// with friction have those of something thin alone, and each of these is stopped by itself.
struct InnerNode {
  std::uint8_t node;       ///< Within its block, as in NodeBlock.
  bool is_far;             ///< Moves by the surface of the far side.
  bool is_outside;         ///< Is behind something thin, not in it.
  bool is_rough;           ///< Is stopped by an obstacle with friction.
  std::uint32_t obstacle;  ///< The obstacle that it is deepest in, or behind.
  Vec3f normal;            ///< Outward normal of that obstacle's surface.
  float level;             ///< [m] That surface, as the set of x with normal . x = level.
  float reflection;        ///< In [0, 1]: the node's depth over the height of `outside`.
  Vec3f outside;           ///< Grid coordinates of a place straight above it, in the fluid.
  float behind = 0;  ///< The part of its kernel beyond the other side, and outside of obstacles.
};

/// A point of an obstacle's surface, next to a node.
struct SurfacePoint {
  std::uint8_t node;
  bool is_far;  ///< Whether it is on the far side of something thin, not on that nearest to `node`.
  std::uint32_t obstacle;
  Vec3f normal;  ///< Outward normal of the obstacle.
  Vec3f place;   ///< In grid coordinates.
};

/// The geometry of the obstacles around a block of nodes.
struct NearObstacles {
  std::array<float, block_nodes> solid{};  ///< The part of each node's kernel inside obstacles.
  NodeBits inside = 0;                     ///< The nodes inside obstacles, but at edges.
  std::vector<InnerNode> inner;
  std::vector<SurfacePoint> points;
};

/// Finds the geometry for the block of nodes `key`. A node so far inside that no particle reaches
/// it is no InnerNode.
[[nodiscard]] NearObstacles find_near_obstacles(const GridFrame& frame, scene::Kernel kernel,
                                                const Boundary& boundary, std::uint64_t key);

}  // namespace sluice::fluid
