// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "solver/fluid/lattice/padded_tile.h"

/// Coarsens a tile to the part of another that has cells twice as large, and interpolates back:
/// linear along each axis, an axis after the other.
namespace sluice::fluid::grid {

/// How a coarse value is made of the fine ones along an axis, at and around twice its place.
enum class Along : std::uint8_t {
  here,  ///< The value at 0.
  pair,  ///< 1/2, 1/2 of the values at 0 and 1.
  node,  ///< 1/4, 1/2, 1/4 of those at -1, 0 and 1: for values on cells' lower sides.
  cell,  ///< 1/8, 3/8, 3/8, 1/8 of those at -1, 0, 1 and 2: for values in cells' middles.
};

/// The number of coarse cells that a tile becomes, along each axis; and in all.
template <int D>
inline constexpr std::size_t half_tile_edge = tile_edge<D> / 2;
template <int D>
inline constexpr std::size_t half_tile_size = tile_size<D> >> D;

/// Makes the coarse values of a padded tile in its place, stored as a tile of half the edge.
template <int D>
void coarsen(const std::array<Along, D>& along, float* values) noexcept;

/// Applies the transpose, times 2^D, of coarsening by node along axis `own`, if that is one, and by
/// cell along others: a tile's values from the coarse ones of a padded tile, from `place` on.
template <int D>
void interpolate(const float* coarse, const Cell<D>& place, std::size_t own,
                 std::array<float, tile_size<D>>& values) noexcept;

/// The same by cubics through four values along each axis, from coarse values of a tile padded
/// by 2. What is carried along and interpolated in each step keeps its waves: linear interpolation
/// of one 64 cells long takes off 0.1 % of it each time.
template <int D>
void interpolate_cubic(const float* coarse, const Cell<D>& place, std::size_t own,
                       std::array<float, tile_size<D>>& values) noexcept;

/// Where in a tile the part begins that its child, a tile of cells half as large, is coarsened to,
/// by the bits of `child`: upper or lower along each axis.
template <int D>
[[nodiscard]] constexpr Cell<D> place_of_child(std::size_t child) noexcept {
  Cell<D> place{};
  for (std::size_t axis = 0; axis < D; ++axis)
    place[axis] = (child >> axis & 1U) != 0 ? tile_edge<D> / 2 : 0;
  return place;
}

/// Where the parts of a cell of a tile are, or of its face, which are half as large: in the tile's
/// child `child`.
template <int D>
struct PlaceOfParts {
  std::size_t child = 0;
  Cell<D> first;  ///< In that tile.

  /// `cell` is that in its tile.
  constexpr explicit PlaceOfParts(const Cell<D>& cell) noexcept {
    constexpr std::int32_t half = tile_edge<D> / 2;
    for (std::size_t axis = 0; axis < D; ++axis) {
      child |= cell[axis] >= half ? std::size_t{1} << axis : 0;
      first[axis] = 2 * (cell[axis] % half);
    }
  }
  /// The place in the child of one of the 2^(D-1) parts of the face on the lower side along
  /// `across`; of one of the cell's 2^D children for D in place of an axis.
  [[nodiscard]] constexpr std::size_t of_face(std::size_t across, std::size_t part) const noexcept {
    Cell<D> at = first;
    std::size_t bit = 0;
    for (std::size_t axis = 0; axis < D; ++axis) {
      if (axis != across) at[axis] += static_cast<std::int32_t>(part >> bit++ & 1U);
    }
    return index_in_tile<D>(at);
  }
};

/// The coordinates of the child number `child` of a tile, or of a cell.
template <int D>
[[nodiscard]] constexpr Cell<D> child_of(const Cell<D>& parent, std::size_t child) noexcept {
  Cell<D> coordinates = parent;
  for (std::size_t axis = 0; axis < D; ++axis)
    coordinates[axis] = 2 * parent[axis] + static_cast<std::int32_t>(child >> axis & 1U);
  return coordinates;
}

}  // namespace sluice::fluid::grid
