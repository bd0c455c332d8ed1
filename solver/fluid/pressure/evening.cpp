// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/pressure/evening.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "solver/fluid/lattice/padded_tile.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::fluid::grid {
namespace {

constexpr std::int64_t evening_grain = 8;  // Tiles.

// A density that is off by more than this part of the density at rest is not made good at once.
constexpr float most_excess = 0.5F;

// The excess that is made good where a density is above that at rest by `over`, in a cell to which
// an obstacle leaves `room`: no excess that may come of where the obstacle cuts the lattice of
// particles, which are `spacing` cells apart, and no particle is drawn in. Both lifted water at
// rest and set it in motion: 2 to 100 mm/s in RandomRest, and at the edge of a plate particles were
// drawn into one point until the level had sunk by 10 %.
float to_make_good(float over, float room, float spacing) {
  return std::max(0.0F, over - spacing / 2 / room);
}

}  // namespace

template <int D>
void find_excess(const MacGrid<D>& grid, const PoissonSystem<D>& system, float spacing,
                 Array<double>& excess) {
  excess.assign(grid.tiles.array_size(), 0);
  parallel::parallel_for(
      0, static_cast<std::int64_t>(grid.tiles.count()), evening_grain,
      [&](std::int64_t begin, std::int64_t end) {
        std::array<float, padded_size<D>> distance;
        for (auto tile = static_cast<std::size_t>(begin); tile < static_cast<std::size_t>(end);
             ++tile) {
          Surroundings<D>(grid.tiles, tile).load(grid.distance.data(), distance.data());
          for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
            const std::size_t index = tile * tile_size<D> + cell;
            if (!system.is_unknown(tile, cell) || !(grid.room[index] > least_room)) continue;
            const float density = grid.density[index] / grid.room[index];
            const std::size_t here = padded_index<D>(local_cell<D>(cell));
            bool is_inside = true;
            for (int axis = 0; axis < D; ++axis) {
              is_inside = is_inside && distance[here - padded_stride<D>(axis)] < 0 &&
                          distance[here + padded_stride<D>(axis)] < 0;
            }
            const float over = is_cut(grid, index)
                                   ? to_make_good(density - 1, grid.room[index], spacing)
                                   : density - 1;
            const float least = is_inside ? -most_excess : 0.0F;
            // The part of a cell that solids take up takes nothing in.
            excess[index] =
                static_cast<double>(grid.room[index] * std::clamp(over, least, most_excess));
          }
        }
      });
}

template void find_excess<2>(const MacGrid<2>&, const PoissonSystem<2>&, float, Array<double>&);
template void find_excess<3>(const MacGrid<3>&, const PoissonSystem<3>&, float, Array<double>&);

}  // namespace sluice::fluid::grid
