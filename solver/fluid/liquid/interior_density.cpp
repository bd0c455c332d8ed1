// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/liquid/interior_density.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include "solver/fluid/lattice/cell_box.h"
#include "solver/fluid/lattice/each_tile.h"
#include "solver/fluid/lattice/padded_tile.h"

namespace sluice::fluid::grid {
namespace {

// The parts of a cell's liquid that linear weights scatter, along an axis, to its own middle and to
// that of a cell next to it.
constexpr float to_own = 0.75F, to_next = 0.125F;

// The box of offsets to all cells, or tiles, around one.
template <int D>
Cell<D> lowest_offset() {
  Cell<D> lower;
  lower.fill(-1);
  return lower;
}
template <int D>
Cell<D> end_of_offsets() {
  Cell<D> upper;
  upper.fill(2);
  return upper;
}

template <int D>
bool is_near_interior(const MacGrid<D>& grid, std::size_t tile) {
  bool is_near = false;
  for_each_in_box<D>(lowest_offset<D>(), end_of_offsets<D>(), [&](const Cell<D>& offset) {
    Cell<D> coordinates = grid.tiles.coordinates(tile);
    for (std::size_t a = 0; a < D; ++a)
      coordinates[a] += offset[a];
    is_near = is_near || grid.has_interior[grid.tiles.find(coordinates)] != 0;
  });
  return is_near;
}

}  // namespace

template <int D>
void add_density_of_interior(const Sides<D>& sides, MacGrid<D>& grid) {
  if (grid.is_interior.empty()) return;
  for_each_tile(grid.tiles, [&](std::size_t tile) {
    if (!is_near_interior(grid, tile)) return;
    std::array<std::uint8_t, padded_size<D>> is_in;
    Surroundings<D>(grid.tiles, tile).load(grid.is_interior.data(), is_in.data());
    const Cell<D> first = grid.tiles.first_cell(tile);
    for (std::size_t i = 0; i < tile_size<D>; ++i) {
      const Cell<D> local = local_cell<D>(i);
      const std::size_t index = tile * tile_size<D> + i;
      if (is_in[padded_index<D>(local)] != 0) {
        grid.density[index] = grid.room[index];
        continue;
      }
      for_each_in_box<D>(lowest_offset<D>(), end_of_offsets<D>(), [&](const Cell<D>& offset) {
        float part = 1;
        bool is_in_domain = true;
        Cell<D> next = local;
        for (std::size_t a = 0; a < D; ++a) {
          next[a] += offset[a];
          const std::int32_t at = first[a] + next[a];
          is_in_domain = is_in_domain && at >= 0 && at < sides.cells[a];
          part *= offset[a] == 0 ? to_own : to_next;
        }
        if (is_in_domain && is_in[padded_index<D>(next)] != 0) grid.density[index] += part;
      });
    }
  });
}

template void add_density_of_interior<2>(const Sides<2>&, MacGrid<2>&);
template void add_density_of_interior<3>(const Sides<3>&, MacGrid<3>&);

}  // namespace sluice::fluid::grid
