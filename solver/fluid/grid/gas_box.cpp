// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/grid/gas_box.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "solver/fluid/grid/extrapolation.h"
#include "solver/fluid/grid/padded.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::fluid::grid {
namespace {

constexpr std::int64_t grain = 8;  // Tiles.

// Layers of cells in solids that interpolation from outside may look at, in a substep of a few
// cells.
constexpr int layers = 3;

// Calls visit(place) for all of a box, `end` excluded; x fastest.
template <int D, typename Visit>
void for_each_in_box(const Cell<D>& begin, const Cell<D>& end, const Visit& visit) {
  Cell<D> at = begin;
  for (bool more = true; more;) {
    visit(at);
    more = false;
    for (std::size_t axis = 0; axis < D && !more; ++axis) {
      more = ++at[axis] < end[axis];
      if (!more) at[axis] = begin[axis];
    }
  }
}

// All tiles that have a cell of the domain, or one of a layer around it and one more above: the
// faces of the layer end there.
template <int D>
Tiles<D> tiles_around(const Cell<D>& cells) {
  Cell<D> lowest, highest;
  for (std::size_t axis = 0; axis < D; ++axis) {
    lowest[axis] = -1;
    highest[axis] = cells[axis] + 1;
  }
  Cell<D> end = tile_of<D>(highest);
  for (std::int32_t& c : end)
    ++c;
  std::vector<Cell<D>> coordinates;
  for_each_in_box<D>(tile_of<D>(lowest), end,
                     [&](const Cell<D>& tile) { coordinates.push_back(tile); });
  return Tiles<D>(std::move(coordinates));
}

template <int D>
bool has_flow_through(const Sides<D>& sides, std::size_t axis, std::size_t side) {
  return !sides.is_wall[axis][side] ||
         sides.velocity[axis][side].velocity[world_axis<D>(static_cast<int>(axis))] != 0;
}

}  // namespace

template <int D>
GasBox<D>::GasBox(const Sides<D>& sides) : sides_(sides), tiles_(tiles_around<D>(sides.cells)) {
  // Across one axis after the other, the last ones over the corners that are known by then.
  for (std::size_t axis = 0; axis < D; ++axis) {
    for (std::size_t side = 0; side < 2; ++side) {
      Cell<D> begin{}, end = sides.cells;
      for (std::size_t before = 0; before < axis; ++before) {
        begin[before] = -1;
        ++end[before];
      }
      begin[axis] = side == 0 ? -1 : sides.cells[axis];
      end[axis] = begin[axis] + 1;
      for_each_in_box<D>(begin, end, [&](const Cell<D>& cell) {
        Cell<D> source = cell;
        source[axis] += side == 0 ? 1 : -1;
        around_.push_back({tiles_.find_cell(cell), tiles_.find_cell(source),
                           has_flow_through(sides, axis, side)});
      });
    }
  }
}

template <int D>
void GasBox<D>::find_live(MacGrid<D>& grid) {
  for (std::size_t axis = 0; axis < D; ++axis)
    live_faces_[axis].assign(tiles_.array_size(), 0);
  live_cells_.assign(tiles_.array_size(), 0);
  grid.distance.assign(tiles_.array_size(), 1);
  grid.is_full.assign(tiles_.count() + 1, 0);
  const auto is_in_domain = [&](const Cell<D>& cell) {
    for (std::size_t axis = 0; axis < D; ++axis) {
      if (cell[axis] < 0 || cell[axis] >= sides_.cells[axis]) return false;
    }
    return true;
  };
  parallel::parallel_for(
      0, static_cast<std::int64_t>(tiles_.count()), grain,
      [&](std::int64_t begin, std::int64_t end) {
        std::array<std::array<float, padded_size<D>>, D> open;
        for (auto tile = static_cast<std::size_t>(begin); tile < static_cast<std::size_t>(end);
             ++tile) {
          const Surroundings<D> surroundings(tiles_, tile);
          for (std::size_t axis = 0; axis < D; ++axis)
            surroundings.load(grid.open[axis].data(), open[axis].data());
          bool is_full = true;
          for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
            const std::size_t index = tile * tile_size<D> + cell;
            const Cell<D> at = tiles_.cell(index);
            const std::size_t here = padded_index<D>(local_cell<D>(cell));
            const bool is_inside = is_in_domain(at);
            is_full = is_full && is_inside;
            if (is_inside) grid.distance[index] = -1;
            for (int axis = 0; axis < D; ++axis) {
              const auto a = static_cast<std::size_t>(axis);
              Cell<D> before = at;
              --before[a];
              const bool is_open = open[a][here] > 0;
              if (is_open && (is_inside || is_in_domain(before))) live_faces_[a][index] = 1;
              if (is_inside && (is_open || open[a][here + padded_stride<D>(axis)] > 0))
                live_cells_[index] = 1;
            }
          }
          grid.is_full[tile] = is_full ? 1 : 0;
        }
      });
  std::size_t in_domain = 1;
  for (const std::int32_t count : sides_.cells)
    in_domain *= static_cast<std::size_t>(count);
  has_solids_ =
      static_cast<std::size_t>(std::count(live_cells_.begin(), live_cells_.end(), 1)) < in_domain;
}

template <int D>
void GasBox<D>::fill_around(float ambient, Array<float>& values) const {
  if (has_solids_) {
    Array<std::uint8_t> known = live_cells_;
    extrapolate<D>(tiles_, layers, values, known);
  }
  for (const Around& around : around_)
    values[around.cell] = around.is_ambient ? ambient : values[around.source];
}

template <int D>
void GasBox<D>::fill_around(MacGrid<D>& grid) const {
  for (std::size_t axis = 0; axis < D; ++axis) {
    Array<std::uint8_t> known = live_faces_[axis];
    extrapolate<D>(tiles_, layers, grid.velocity[axis], known);
  }
}

template class GasBox<2>;
template class GasBox<3>;

}  // namespace sluice::fluid::grid
