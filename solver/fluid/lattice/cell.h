// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace sluice::fluid::grid {

/// The index of a cell in a lattice without end: cell i has the places x with i dx <= x - origin <
/// (i + 1) dx, along each axis. Also the index of a tile.
template <int D>
using Cell = std::array<std::int32_t, D>;

/// Tiles are dense blocks of cells, stored along x, then y, then z. 8 x 8 x 8 and 16 x 16: a vector
/// register holds a row or half of one, and a tile and what is around it stay in the first cache.
template <int D>
inline constexpr std::int32_t tile_edge = D == 3 ? 8 : 16;
template <int D>
inline constexpr std::size_t tile_size = D == 3 ? 512 : 256;  ///< Number of cells.

/// Sides of a cell or tile: 2 axis + (0 for the lower one, 1 for the upper one).
template <int D>
inline constexpr int side_count = 2 * D;

/// The index of a cell in its tile; every coordinate is in [0, tile_edge).
template <int D>
[[nodiscard]] constexpr std::size_t index_in_tile(const Cell<D>& local) noexcept {
  std::size_t index = 0;
  for (int axis = D - 1; axis >= 0; --axis)
    index = index * tile_edge<D> + static_cast<std::size_t>(local[static_cast<std::size_t>(axis)]);
  return index;
}

/// The inverse of index_in_tile().
template <int D>
[[nodiscard]] constexpr Cell<D> local_cell(std::size_t index) noexcept {
  Cell<D> local{};
  for (std::size_t axis = 0; axis < D; ++axis) {
    local[axis] = static_cast<std::int32_t>(index % tile_edge<D>);
    index /= tile_edge<D>;
  }
  return local;
}

/// The tile that a cell is in: the cell's coordinates over the tile's edge, rounded down.
template <int D>
[[nodiscard]] constexpr Cell<D> tile_of(const Cell<D>& cell) noexcept {
  Cell<D> tile{};
  for (std::size_t axis = 0; axis < D; ++axis)
    tile[axis] = cell[axis] >> (D == 3 ? 3 : 4);  // Rounds down, below 0 too. [C++20]
  return tile;
}

/// The distance in memory of a tile's cells that are next to each other along an axis.
template <int D>
[[nodiscard]] constexpr std::size_t stride(int axis) noexcept {
  std::size_t step = 1;
  for (int i = 0; i < axis; ++i)
    step *= tile_edge<D>;
  return step;
}

}  // namespace sluice::fluid::grid
