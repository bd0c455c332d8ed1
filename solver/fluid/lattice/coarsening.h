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

/// Applies the transpose, times 2^D, of coarsening by node along axis `own` and by cell along
/// others: a tile's values from the coarse ones of a padded tile, from `place` on.
template <int D>
void interpolate(const float* coarse, const Cell<D>& place, std::size_t own,
                 std::array<float, tile_size<D>>& values) noexcept {
  constexpr std::size_t edge = tile_edge<D>, half = half_tile_edge<D>, window = half + 2;
  constexpr std::size_t row_count = D == 3 ? window * window : window;
  std::array<float, row_count * edge> rows;
  const auto expand = [](const float* from, std::size_t step, bool is_own, float* to) {
    const float near = is_own ? 1.0F : 0.75F, before = is_own ? 0.0F : 0.25F;
    const float near_odd = is_own ? 0.5F : 0.75F, after = is_own ? 0.5F : 0.25F;
    for (std::size_t i = 0; i < half; ++i) {
      const float* const at = from + i * step;
      for (std::size_t s = 0; s < step; ++s) {
        to[2 * i * step + s] = before * at[s] + near * at[step + s];
        to[(2 * i + 1) * step + s] = near_odd * at[step + s] + after * at[2 * step + s];
      }
    }
  };
  for (std::size_t row = 0; row < row_count; ++row) {
    std::size_t first = static_cast<std::size_t>(place[0]), rest = row;
    for (std::size_t axis = 1; axis < D; ++axis) {
      first += (static_cast<std::size_t>(place[axis]) + rest % window) *
               padded_stride<D>(static_cast<int>(axis));
      rest /= window;
    }
    expand(coarse + first, 1, own == 0, rows.data() + row * edge);
  }
  if constexpr (D == 2) {
    expand(rows.data(), edge, own == 1, values.data());
  } else {
    std::array<float, window * edge * edge> slabs;
    for (std::size_t slab = 0; slab < window; ++slab)
      expand(rows.data() + slab * window * edge, edge, own == 1, slabs.data() + slab * edge * edge);
    expand(slabs.data(), edge * edge, own == 2, values.data());
  }
}

/// Where in a tile the part begins that its child, a tile of cells half as large, is coarsened to,
/// by the bits of `child`: upper or lower along each axis.
template <int D>
[[nodiscard]] constexpr Cell<D> place_of_child(std::size_t child) noexcept {
  Cell<D> place{};
  for (std::size_t axis = 0; axis < D; ++axis)
    place[axis] = (child >> axis & 1U) != 0 ? tile_edge<D> / 2 : 0;
  return place;
}

/// The coordinates of the child number `child` of a tile, or of a cell.
template <int D>
[[nodiscard]] constexpr Cell<D> child_of(const Cell<D>& parent, std::size_t child) noexcept {
  Cell<D> coordinates = parent;
  for (std::size_t axis = 0; axis < D; ++axis)
    coordinates[axis] = 2 * parent[axis] + static_cast<std::int32_t>(child >> axis & 1U);
  return coordinates;
}

}  // namespace sluice::fluid::grid
