// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "solver/types.h"

namespace sluice::geometry {

/// A point of the lattice in units of half a cell edge: all three even (a corner of cells), or all
/// three odd (the centre of a cell).
using LatticePoint = std::array<std::int32_t, 3>;

/// A block of a body-centred cubic lattice: the corners and the centres of a grid of cubes.
///
/// Each point has 14 neighbours: 6 of its own kind at one cell edge (long lattice edges) and 8 of
/// the other kind at sqrt(3)/2 of it (short ones).
struct BccLattice {
  Vec3 origin;                                ///< [m] of the first corner.
  double cell_size;                           ///< [m]
  std::array<std::int32_t, 3> cell_counts{};  ///< Each >= 1.

  [[nodiscard]] std::int64_t corner_count() const {
    return std::int64_t{cell_counts[0] + 1} * (cell_counts[1] + 1) * (cell_counts[2] + 1);
  }
  [[nodiscard]] std::int64_t cell_count() const {
    return std::int64_t{cell_counts[0]} * cell_counts[1] * cell_counts[2];
  }
  [[nodiscard]] std::int64_t point_count() const { return corner_count() + cell_count(); }

  [[nodiscard]] bool contains(const LatticePoint& p) const {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (p[axis] < 0 || p[axis] > 2 * cell_counts[axis]) return false;
    }
    return true;
  }

  /// Returns the point's index among all points, corners first; by z, then y, then x.
  [[nodiscard]] std::int64_t index(const LatticePoint& p) const {
    const std::int64_t is_centre = p[0] & 1;
    const std::int64_t nx = cell_counts[0] + 1 - is_centre, ny = cell_counts[1] + 1 - is_centre;
    return is_centre * corner_count() + (p[2] / 2 * ny + p[1] / 2) * nx + p[0] / 2;
  }

  [[nodiscard]] LatticePoint point(std::int64_t index) const {
    const bool is_centre = index >= corner_count();
    const std::int64_t i = is_centre ? index - corner_count() : index;
    const std::int64_t nx = cell_counts[0] + (is_centre ? 0 : 1);
    const std::int64_t ny = cell_counts[1] + (is_centre ? 0 : 1);
    const auto half_units = [&](std::int64_t cell) {
      return static_cast<std::int32_t>(2 * cell + (is_centre ? 1 : 0));
    };
    return {half_units(i % nx), half_units(i / nx % ny), half_units(i / (nx * ny))};
  }

  /// Coordinates depend on their own axis alone, so columns of points are exactly straight.
  [[nodiscard]] Vec3 position(const LatticePoint& p) const {
    return origin + 0.5 * cell_size * Vec3(p[0], p[1], p[2]);
  }
};

/// The way to each neighbour: 6 long ones, then 8 short ones. Direction i of one kind is opposite
/// to i ^ 1.
inline constexpr std::array<LatticePoint, 14> bcc_directions{{{2, 0, 0},
                                                              {-2, 0, 0},
                                                              {0, 2, 0},
                                                              {0, -2, 0},
                                                              {0, 0, 2},
                                                              {0, 0, -2},
                                                              {1, 1, 1},
                                                              {-1, -1, -1},
                                                              {1, 1, -1},
                                                              {-1, -1, 1},
                                                              {1, -1, 1},
                                                              {-1, 1, -1},
                                                              {-1, 1, 1},
                                                              {1, -1, -1}}};
inline constexpr std::size_t long_direction_count = 6;

[[nodiscard]] inline LatticePoint neighbour(const LatticePoint& p, std::size_t direction) {
  const LatticePoint& d = bcc_directions[direction];
  return {p[0] + d[0], p[1] + d[1], p[2] + d[2]};
}

/// Returns the direction from p to its neighbour q, as an index of bcc_directions.
[[nodiscard]] inline std::size_t direction_between(const LatticePoint& p, const LatticePoint& q) {
  const LatticePoint step{q[0] - p[0], q[1] - p[1], q[2] - p[2]};
  std::size_t direction = 0;
  while (bcc_directions[direction] != step)
    ++direction;
  return direction;
}

}  // namespace sluice::geometry
