// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/liquid/wall_fold.h"

#include <cstddef>
#include <cstdint>

#include "solver/parallel/parallel_for.h"

namespace sluice::fluid::grid {
namespace {

constexpr std::int64_t wall_fold_grain = 16;  // Tiles.

// Calls with each cell in the layer beyond a wall that a tile has, and with the one before it: no
// cell is named twice.
template <int D, typename F>
void for_each_beyond(const Sides<D>& sides, std::size_t axis, std::size_t side,
                     const Tiles<D>& tiles, const F& body) {
  if (!sides.is_wall[axis][side]) return;
  const std::int32_t layer = side == 0 ? -1 : sides.cells[axis];
  parallel::parallel_for(
      0, static_cast<std::int64_t>(tiles.count()), wall_fold_grain,
      [&](std::int64_t begin, std::int64_t end) {
        for (auto tile = static_cast<std::size_t>(begin); tile < static_cast<std::size_t>(end);
             ++tile) {
          const std::int32_t local = layer - tiles.first_cell(tile)[axis];
          if (local < 0 || local >= tile_edge<D>) continue;
          const bool is_same_tile = side == 0 ? local + 1 < tile_edge<D> : local > 0;
          const std::size_t before =
              is_same_tile ? tile : tiles.neighbours(tile)[2 * axis + 1 - side];
          if (before == tiles.count()) continue;
          for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
            Cell<D> at = local_cell<D>(cell);
            if (at[axis] != local) continue;
            at[axis] = (local + (side == 0 ? 1 : tile_edge<D> - 1)) % tile_edge<D>;
            body(tile * tile_size<D> + cell, before * tile_size<D> + index_in_tile<D>(at));
          }
        }
      });
}

}  // namespace

template <int D>
void fold_at_walls(const Sides<D>& sides, MacGrid<D>& grid) {
  for (std::size_t axis = 0; axis < D; ++axis) {
    for (std::size_t side = 0; side < 2; ++side) {
      for_each_beyond<D>(sides, axis, side, grid.tiles, [&](std::size_t beyond, std::size_t cell) {
        grid.density[cell] += grid.density[beyond];
        grid.room[cell] += grid.room[beyond];
      });
    }
  }
  // After all axes, so that cells beyond edges and corners show what is before those.
  for (std::size_t axis = 0; axis < D; ++axis) {
    for (std::size_t side = 0; side < 2; ++side) {
      for_each_beyond<D>(sides, axis, side, grid.tiles, [&](std::size_t beyond, std::size_t cell) {
        grid.density[beyond] = grid.density[cell];
        grid.room[beyond] = 0;
      });
    }
  }
}

template void fold_at_walls<2>(const Sides<2>&, MacGrid<2>&);
template void fold_at_walls<3>(const Sides<3>&, MacGrid<3>&);

}  // namespace sluice::fluid::grid
