// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "solver/fluid/lattice/mac_grid.h"

namespace sluice::fluid::grid {

/// Whether a cell is liquid and its middle outside of solids. `index` in arrays.
template <int D>
[[nodiscard]] bool is_wet_cell(const MacGrid<D>& grid, std::size_t index) noexcept {
  return grid.distance[index] < 0 && grid.room[index] >= room_at_face;
}

/// Whether a wet cell (is_wet_cell()) is next to a face.
template <int D>
[[nodiscard]] bool is_wet(const MacGrid<D>& grid, const Cell<D>& face, std::size_t axis) noexcept {
  Cell<D> before = face;
  --before[axis];
  return is_wet_cell(grid, grid.tiles.find_cell(face)) ||
         is_wet_cell(grid, grid.tiles.find_cell(before));
}

}  // namespace sluice::fluid::grid
