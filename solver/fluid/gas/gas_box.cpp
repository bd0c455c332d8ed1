// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/gas/gas_box.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "solver/fluid/gas/semi_lagrangian.h"
#include "solver/fluid/lattice/cell_box.h"
#include "solver/fluid/lattice/extrapolation.h"
#include "solver/fluid/lattice/padded_tile.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::fluid::grid {
namespace {

constexpr std::int64_t gas_box_grain = 8;  // Tiles.

// Layers of cells in solids that interpolation from outside may look at, in a substep of a few
// cells.
constexpr int layers = 3;

// Layers of cells around the domain: cubic interpolation looks two cells far.
constexpr std::int32_t margin = 2;

// All tiles that have a cell of the domain or of the layers around it; one more above, for the
// faces that end them. Around periodic sides there is nothing but what is inside.
template <int D>
Tiles<D> tiles_around(const Sides<D>& sides) {
  Cell<D> lowest, highest, period{};
  for (std::size_t axis = 0; axis < D; ++axis) {
    lowest[axis] = sides.is_periodic[axis] ? 0 : -margin;
    highest[axis] = sides.is_periodic[axis] ? sides.cells[axis] - 1 : sides.cells[axis] + margin;
    period[axis] = sides.is_periodic[axis] ? sides.cells[axis] / tile_edge<D> : 0;
  }
  Cell<D> end = tile_of<D>(highest);
  for (std::int32_t& c : end)
    ++c;
  std::vector<Cell<D>> coordinates;
  for_each_in_box<D>(tile_of<D>(lowest), end,
                     [&](const Cell<D>& tile) { coordinates.push_back(tile); });
  return Tiles<D>(std::move(coordinates), period);
}

// Calls visit(place, its mirror image inside, the nearest place inside, axis, side) for the places
// in the layers around a box of `counts`, across one axis after the other: the last ones also
// around what the first ones have. Mirrors are half a cell from places 0 and counts - 1, but across
// `faces_axis`, where places are faces, in those of 0 and counts - 1. There are no layers around
// periodic sides.
template <int D, typename Visit>
void for_each_around(const Sides<D>& sides, int faces_axis, const Visit& visit) {
  Cell<D> counts = sides.cells;
  for (std::size_t axis = 0; axis < D; ++axis)
    counts[axis] += static_cast<int>(axis) == faces_axis && !sides.is_periodic[axis] ? 1 : 0;
  for (std::size_t axis = 0; axis < D; ++axis) {
    if (sides.is_periodic[axis]) continue;
    const std::int32_t shift = static_cast<int>(axis) == faces_axis ? 0 : 1;
    for (std::size_t side = 0; side < 2; ++side) {
      Cell<D> begin{}, end = counts;
      for (std::size_t before = 0; before < axis; ++before) {
        if (sides.is_periodic[before]) continue;
        begin[before] = -margin;
        end[before] += margin;
      }
      begin[axis] = side == 0 ? -margin : counts[axis];
      end[axis] = begin[axis] + margin;
      for_each_in_box<D>(begin, end, [&](const Cell<D>& place) {
        const std::int32_t last = counts[axis] - 1;
        Cell<D> image = place, nearest = place;
        image[axis] = side == 0 ? -shift - place[axis] : 2 * last + shift - place[axis];
        nearest[axis] = side == 0 ? 0 : last;
        visit(place, image, nearest, axis, side);
      });
    }
  }
}

}  // namespace

template <int D>
GasBox<D>::GasBox(const Sides<D>& sides) : sides_(sides), tiles_(tiles_around<D>(sides)) {
  for_each_around<D>(sides, Advected::in_middles,
                     [&](const Cell<D>& cell, const Cell<D>& image, const Cell<D>& /*nearest*/,
                         std::size_t axis, std::size_t side) {
                       const bool is_open = !sides.is_wall[axis][side];
                       around_.push_back({tiles_.find_cell(cell), tiles_.find_cell(image),
                                          is_open || has_flow_through(sides, axis, side), is_open});
                     });
  for (int of = 0; of < D; ++of) {
    for_each_around<D>(sides, of,
                       [&](const Cell<D>& face, const Cell<D>& image, const Cell<D>& nearest,
                           std::size_t axis, std::size_t side) {
                         const std::size_t to = tiles_.find_cell(face);
                         std::vector<FaceAround>& faces =
                             faces_around_[static_cast<std::size_t>(of)];
                         if (!sides.is_wall[axis][side]) {
                           faces.push_back({to, tiles_.find_cell(nearest), 1, 0});
                           return;
                         }
                         const bool slips = static_cast<int>(axis) != of &&
                                            sides.wall != scene::WallCondition::no_slip &&
                                            !has_flow_through(sides, axis, side);
                         // The image differs from the wall's velocity by as much, the other way.
                         const float of_wall = velocity_of_wall<D>(sides, face, of, axis);
                         faces.push_back({to, tiles_.find_cell(image), slips ? 1.0F : -1.0F,
                                          slips ? 0.0F : 2 * of_wall});
                       });
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
      0, static_cast<std::int64_t>(tiles_.count()), gas_box_grain,
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
  has_closed_faces_ = false;
  for (std::size_t axis = 0; axis < D; ++axis) {
    std::size_t inside = in_domain / static_cast<std::size_t>(sides_.cells[axis]);
    std::size_t ends = 0;
    for (std::size_t side = 0; side < (sides_.is_periodic[axis] ? 1U : 2U); ++side)
      ends += sides_.is_wall[axis][side] ? 0 : inside;
    const auto live =
        static_cast<std::size_t>(std::count(live_faces_[axis].begin(), live_faces_[axis].end(), 1));
    has_closed_faces_ = has_closed_faces_ || live < in_domain - inside + ends;
  }
}

template <int D>
void GasBox<D>::fill_solids(Array<float>& values) const {
  if (!has_solids_) return;
  Array<std::uint8_t> known = live_cells_;
  extrapolate<D>(tiles_, layers, values, known);
}

template <int D>
void GasBox<D>::fill_around_pressure(Array<float>& pressure) const {
  fill_solids(pressure);
  for (const Around& around : around_)
    pressure[around.cell] = around.is_open ? -pressure[around.source] : pressure[around.source];
}

template <int D>
void GasBox<D>::fill_around(float ambient, Array<float>& values) const {
  fill_solids(values);
  for (const Around& around : around_)
    values[around.cell] = around.is_ambient ? ambient : values[around.source];
}

template <int D>
void GasBox<D>::fill_around(const SolidFaces<D>& solids, MacGrid<D>& grid) const {
  if (has_closed_faces_) {
    for (std::size_t axis = 0; axis < D; ++axis) {
      Array<std::uint8_t> known = live_faces_[axis];
      extrapolate<D>(tiles_, layers, grid.velocity[axis], known);
    }
    solids.constrain(grid);
  }
  for (std::size_t axis = 0; axis < D; ++axis) {
    Array<float>& velocity = grid.velocity[axis];
    for (const FaceAround& face : faces_around_[axis])
      velocity[face.face] = face.factor * velocity[face.source] + face.offset;
  }
}

template class GasBox<2>;
template class GasBox<3>;

}  // namespace sluice::fluid::grid
