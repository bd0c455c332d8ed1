// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/liquid/liquid_surface.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "solver/fluid/lattice/padded_tile.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::fluid::grid {
namespace {

constexpr std::int64_t liquid_surface_grain = 8;  // Tiles.

// [cells] The distance of a cell that is liquid because of what is around it.
constexpr float inside = -0.5F;

float distance_of(float density) {
  if (density >= 1) return -1;
  return density > 0.5F ? std::sqrt(2 * (1 - density)) - 1 : 1 - std::sqrt(2 * density);
}

}  // namespace

template <int D>
LevelAtSolids<D> find_surface(const Vec<D>& up, MacGrid<D>& grid) {
  const Tiles<D>& tiles = grid.tiles;
  Array<float> distance(tiles.array_size(), 0);
  const auto for_each_tile = [&](auto&& body) {
    parallel::parallel_for(0, static_cast<std::int64_t>(tiles.count()), liquid_surface_grain,
                           [&](std::int64_t begin, std::int64_t end) {
                             for (auto tile = static_cast<std::size_t>(begin);
                                  tile < static_cast<std::size_t>(end); ++tile)
                               body(tile);
                           });
  };
  for_each_tile([&](std::size_t tile) {
    for (std::size_t cell = tile * tile_size<D>; cell < (tile + 1) * tile_size<D>; ++cell) {
      const float room = grid.room[cell];
      distance[cell] = room > least_room ? distance_of(grid.density[cell] / room) : 1.0F;
    }
  });
  LevelAtSolids<D> level = level_at_solids<D>(grid, up, distance);
  grid.distance.assign(tiles.array_size(), 1);
  grid.is_full.assign(tiles.count() + 1, 0);
  for_each_tile([&](std::size_t tile) {
    std::array<float, padded_size<D>> around;
    const Surroundings<D> surroundings(tiles, tile);
    surroundings.load(distance.data(), around.data());
    std::array<std::uint8_t, padded_size<D>> is_interior{};
    if (!grid.is_interior.empty()) surroundings.load(grid.is_interior.data(), is_interior.data());
    bool is_full = true;
    for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
      const std::size_t index = tile * tile_size<D> + cell;
      const std::size_t padded = padded_index<D>(local_cell<D>(cell));
      const float* const here = around.data() + padded;
      float value = *here;
      if (!(value < 0)) {
        bool is_hole = true, is_next_to_liquid = false, is_deep = false;
        for (int axis = 0; axis < D; ++axis) {
          is_deep = is_deep || is_interior[padded - padded_stride<D>(axis)] != 0 ||
                    is_interior[padded + padded_stride<D>(axis)] != 0;
          const auto step = static_cast<std::ptrdiff_t>(padded_stride<D>(axis));
          is_hole = is_hole && here[-step] < 0 && here[step] < 0;
          is_next_to_liquid = is_next_to_liquid || here[-step] < 0 || here[step] < 0;
        }
        const AtSolid at = level.at.empty() ? AtSolid::no : level.at[index];
        const bool is_in_solid = grid.room[index] < room_at_face && at != AtSolid::level;
        if (is_hole || is_deep || at == AtSolid::shut_off || (is_in_solid && is_next_to_liquid))
          value = inside;
      }
      grid.distance[index] = value;
      is_full = is_full && value < 0;
    }
    grid.is_full[tile] = is_full ? 1 : 0;
  });
  return level;
}

template LevelAtSolids<2> find_surface<2>(const Vec<2>&, MacGrid<2>&);
template LevelAtSolids<3> find_surface<3>(const Vec<3>&, MacGrid<3>&);

}  // namespace sluice::fluid::grid
