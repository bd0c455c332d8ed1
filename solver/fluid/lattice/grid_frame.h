// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "solver/scene/scene.h"
#include "solver/simd/vectors.h"
#include "solver/types.h"

namespace sluice::fluid {

using namespace simd;

constexpr int block_edge = 4;  ///< Nodes along an edge of a block.
constexpr int block_nodes = block_edge * block_edge * block_edge;

/// The places of nodes: node (i, j, k) is at origin + cell_size (i, j, k). The domain's sides are
/// node planes, the lower ones at index `wall_lower`, so that there is room for the nodes that
/// carry a wall's mirror image, and for those that particles beyond an open side reach.
///
/// In two dimensions there is one cell along y, as deep as the domain, with all particles in its
/// middle. Along y, node 1 of a kernel alone counts and has all of the weight.
struct GridFrame {
  static constexpr int wall_lower = 2;
  /// The plane in grid coordinates: every kernel begins at node 1 there, whichever way it rounds.
  static constexpr float flat_place = 2.25F;

  explicit GridFrame(const scene::Scene& scene);

  /// Grid coordinates of a point, in cells.
  [[nodiscard]] Float4 from_world(Float4 x) const noexcept { return (x - origin) * inverse_cell; }

  /// First node of a kernel's support, forced into the table of blocks: a NaN must not become a
  /// wild address.
  template <typename Spline>
  [[nodiscard]] Int4 base(Float4 X) const noexcept {
    const Int4 b = Spline::base(X);
    const Int4 at_least = b > Int4{0, 0, 0, 0} ? b : Int4{0, 0, 0, 0};
    return at_least < max_base ? at_least : max_base;
  }

  /// Number of a block; neighbours along x, y, z differ by strides[0], strides[1], 1.
  [[nodiscard]] std::uint64_t block_key(Int4 base) const noexcept {
    return block_key(std::array{base[0] / block_edge, base[1] / block_edge, base[2] / block_edge});
  }
  [[nodiscard]] std::uint64_t block_key(const std::array<std::int32_t, 3>& block) const noexcept {
    return static_cast<std::uint64_t>(block[0]) * strides[0] +
           static_cast<std::uint64_t>(block[1]) * strides[1] + static_cast<std::uint64_t>(block[2]);
  }
  /// First node of a block.
  [[nodiscard]] std::array<std::int32_t, 3> block_base(std::uint64_t key) const noexcept {
    return {static_cast<std::int32_t>(key / strides[0]) * block_edge,
            static_cast<std::int32_t>(key % strides[0] / strides[1]) * block_edge,
            static_cast<std::int32_t>(key % strides[1]) * block_edge};
  }

  /// Whether an axis is the one across the plane of two dimensions: nothing moves along it.
  [[nodiscard]] bool is_across(int axis) const noexcept { return is_flat && axis == 1; }

  /// [m] The way from `x` to the same place in the domain, whole periods away; 0 along axes that
  /// are not periodic, and where nothing goes further than `reach_lower` and `reach_upper` in a
  /// substep, as in FLUID_SOLVER_MPM.
  [[nodiscard]] Vec3f way_inside(const Vec3f& x) const noexcept {
    Vec3f way = Vec3f::Zero();
    for (int axis = 0; goes_far && axis < 3; ++axis) {
      if (sides[static_cast<std::size_t>(axis)][0] != scene::Side::periodic) continue;
      const float period = upper[axis] - lower[axis];
      way[axis] = -period * std::floor((x[axis] - lower[axis]) / period);
    }
    return way;
  }

  /// [m^3] The volume that a node stands for.
  [[nodiscard]] float node_volume() const noexcept {
    return cell_size * cell_size / inverse_cell[1];
  }

  float cell_size;  ///< [m]
  bool is_flat;     ///< Whether there are two dimensions.
  bool goes_far;    ///< Particles may go several cells beyond periodic sides in a substep.
  float plane;      ///< [m] In two dimensions: the y of all particles.
  Float4 inverse_cell;
  Float4 origin;                                    ///< [m] position of node 0
  std::array<std::int32_t, 3> wall_upper;           ///< Index of the upper wall's node plane.
  std::array<std::array<scene::Side, 2>, 3> sides;  ///< By axis; lower, upper.
  std::array<std::array<bool, 2>, 3>
      mirrors;         ///< By axis; lower, upper: is it a mirror (node_boundary.h)?
  Vec3f lower, upper;  ///< [m] places of the sides
  /// [m] Bounds of the particles until the end of a substep: the sides that are walls; a cell
  /// beyond the others; and whole periods from there where they may go far.
  Vec3f reach_lower, reach_upper;
  Float4 particle_lower, particle_upper;  ///< [m] reach, less a margin at walls; lane 3 unbounded
  Int4 max_base;  ///< >= any base of a particle within half a cell of the walls
  std::array<std::uint64_t, 2> strides;  ///< Steps of block keys along x and y.
};

}  // namespace sluice::fluid
