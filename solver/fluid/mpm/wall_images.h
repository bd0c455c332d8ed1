// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "solver/fluid/lattice/grid_frame.h"
#include "solver/fluid/mpm/node_bits.h"
#include "solver/scene/scene.h"
#include "solver/simd/vectors.h"

namespace sluice::fluid {

using namespace simd;

/// Where a node lies relative to a wall across an axis.
enum WallPlace : std::uint8_t { behind_wall = 1, on_wall = 2 };

/// The bits of Unmirrored::mirrors that tell that the node is behind walls.
constexpr std::uint32_t behind_walls = 0b01'01'01 * behind_wall;

/// The node before the walls that a node behind them is the image of (node_boundary.h); any other
/// node itself.
struct Unmirrored {
  std::array<std::int32_t, 3> node;
  std::uint32_t mirrors;  ///< By axis, two bits from the lowest: 0, or the WallPlace.
};
[[nodiscard]] inline Unmirrored unmirrored(const GridFrame& frame,
                                           std::array<std::int32_t, 3> node) noexcept {
  std::uint32_t mirrors = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    const std::array<std::int32_t, 2> walls{GridFrame::wall_lower, frame.wall_upper[a]};
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      if (!frame.mirrors[a][side]) continue;
      const int outwards = side == 0 ? -1 : 1;
      if (node[a] == walls[side]) {
        mirrors |= std::uint32_t{on_wall} << (2 * a);
      } else if (node[a] == walls[side] + outwards) {
        node[a] = walls[side] - outwards;
        mirrors |= std::uint32_t{behind_wall} << (2 * a);
      }
    }
  }
  return {node, mirrors};
}

/// Reflects a node's numbers at walls, between an image and the node that stands before them. On a
/// wall the node and its image are one: both are summed.
[[gnu::always_inline]] inline Float4 mirrored(std::uint32_t mirrors, scene::WallCondition wall,
                                              Float4 node) noexcept {
  for (int axis = 0; axis < 3; ++axis) {
    const std::uint32_t place = mirrors >> (2 * axis) & 3;
    if (place == 0) continue;
    Float4 reflect = splat(wall == scene::WallCondition::no_slip ? -1.0F : 1.0F);
    reflect[axis] = -1;
    reflect[3] = 1;
    node *= place == on_wall ? splat(1.0F) + reflect : reflect;
  }
  return node;
}

/// Returns those of `nodes` that are before walls, and all images of these; bits are nodes of a
/// kernel that starts at `first_node`.
[[nodiscard]] inline NodeBits with_images(const GridFrame& frame, int support,
                                          const std::array<std::int32_t, 3>& first_node,
                                          NodeBits nodes) noexcept {
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const int lower = GridFrame::wall_lower - first_node[a];
    const int upper = frame.wall_upper[a] - first_node[a];
    if (frame.mirrors[a][0] && lower == 1) {
      const NodeBits inside = nodes & nodes_in_layer(axis, 2);
      nodes = (nodes & ~nodes_in_layer(axis, 0)) | inside >> (2 * bit_strides[a]);
    }
    if (frame.mirrors[a][1] && upper >= 1 && upper + 1 < support) {
      const NodeBits inside = nodes & nodes_in_layer(axis, upper - 1);
      nodes = (nodes & ~nodes_in_layer(axis, upper + 1)) | inside << (2 * bit_strides[a]);
    }
  }
  return nodes;
}

}  // namespace sluice::fluid
