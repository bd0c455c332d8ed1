// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "solver/fluid/lattice/stencil.h"
#include "solver/fluid/lattice/tiles.h"

namespace sluice::fluid::octree {

/// Where a cell is: its tile, or the number of tiles where it is in none; and its place in that.
struct InTile {
  std::size_t tile, place;
};

/// The cell next to the one at `place` in a tile, on a side of it.
template <int D>
[[nodiscard]] InTile next_cell(const grid::Tiles<D>& tiles, std::size_t tile, std::size_t place,
                               std::size_t side) noexcept {
  const std::size_t axis = side / 2;
  const bool is_lower = side % 2 == 0;
  const std::size_t step = grid::stride<D>(static_cast<int>(axis));
  const bool is_last = grid::local_cell<D>(place)[axis] == (is_lower ? 0 : grid::tile_edge<D> - 1);
  if (!is_last) return {tile, is_lower ? place - step : place + step};
  const std::size_t far = (static_cast<std::size_t>(grid::tile_edge<D>) - 1) * step;
  return {tiles.neighbours(tile)[side], is_lower ? place + far : place - far};
}

}  // namespace sluice::fluid::octree
