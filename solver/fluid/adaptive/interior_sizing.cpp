// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/adaptive/interior_sizing.h"

#include <algorithm>

#include "solver/fluid/lattice/coarsening.h"
#include "solver/fluid/lattice/each_tile.h"

namespace sluice::fluid::adaptive {

using grid::half_tile_edge, grid::half_tile_size, grid::tile_edge, grid::tile_size;

namespace {

template <int D>
Cell<D> doubled(Cell<D> cell) {
  for (std::int32_t& c : cell)
    c *= 2;
  return cell;
}

// A cell of half a tile by its number, from the tile's first one on.
template <int D>
Cell<D> half_cell(std::size_t index) {
  Cell<D> cell;
  for (std::size_t axis = 0; axis < D; ++axis) {
    cell[axis] = static_cast<std::int32_t>(index % half_tile_edge<D>);
    index /= half_tile_edge<D>;
  }
  return cell;
}

}  // namespace

template <int D>
HalvedGrid<D>::HalvedGrid(const grid::MacGrid<D>& grid, const Sides<D>& sides,
                          const std::function<bool(const Cell<D>&)>& is_interior)
    : grid_(grid), sides_(sides), is_interior_(is_interior) {
  filling_.resize(grid.tiles.count() * half_tile_size<D>);
  const auto has_liquid = [&](std::size_t cell) {
    return grid.distance[cell] < 0 || (!grid.is_interior.empty() && grid.is_interior[cell] != 0);
  };
  grid::for_each_tile(grid.tiles, [&](std::size_t tile) {
    const Cell<D> first = grid.tiles.first_cell(tile);
    for (std::size_t i = 0; i < half_tile_size<D>; ++i) {
      const Cell<D> half = half_cell<D>(i);
      int all = 0, filled = 0;
      for (std::size_t child = 0; child < std::size_t{1} << D; ++child) {
        const Cell<D> local = grid::child_of<D>(half, child);
        bool is_in_domain = true;
        for (std::size_t a = 0; a < D; ++a) {
          const std::int32_t at = first[a] + local[a];
          is_in_domain = is_in_domain && at >= 0 && at < sides.cells[a];
        }
        if (!is_in_domain) continue;
        ++all;
        filled += has_liquid(tile * tile_size<D> + grid::index_in_tile<D>(local)) ? 1 : 0;
      }
      filling_[tile * half_tile_size<D> + i] = filled == 0     ? Filling::empty
                                               : filled == all ? Filling::full
                                                               : Filling::partly;
    }
  });
}

template <int D>
bool HalvedGrid<D>::is_inside(const Cell<D>& cell) const {
  for (std::size_t a = 0; a < D; ++a) {
    if (cell[a] < 0 || 2 * cell[a] >= sides_.cells[a]) return false;
  }
  return true;
}

template <int D>
typename HalvedGrid<D>::Filling HalvedGrid<D>::filling(const Cell<D>& cell) const {
  const std::size_t index = grid_.tiles.find_cell(doubled<D>(cell));
  const std::size_t tile = index / tile_size<D>;
  if (tile == grid_.tiles.count())
    return is_interior_(doubled<D>(cell)) ? Filling::full : Filling::empty;
  const Cell<D> local = grid::local_cell<D>(index % tile_size<D>);
  std::size_t half = 0;
  for (std::size_t a = D; a-- > 0;)
    half = half * half_tile_edge<D> + static_cast<std::size_t>(local[a]) / 2;
  return filling_[tile * half_tile_size<D> + half];
}

// Of cells that are not full those at liquid: and full ones at open sides.
template <int D>
bool HalvedGrid<D>::is_at_surface(const Cell<D>& cell, Filling own) const {
  if (own == Filling::partly) return true;
  for (std::size_t a = 0; a < D; ++a) {
    for (std::size_t side = 0; side < 2; ++side) {
      Cell<D> next = cell;
      next[a] += side == 0 ? -1 : 1;
      if (!is_inside(next)) {
        if (own == Filling::full && !sides_.is_wall[a][side]) return true;
      } else if (own == Filling::empty && filling(next) != Filling::empty) {
        return true;
      }
    }
  }
  return false;
}

template <int D>
template <typename Condition>
octree::Cells<D> HalvedGrid<D>::chosen(const Condition& condition) const {
  std::vector<std::vector<Cell<D>>> by_tile(grid_.tiles.count());
  grid::for_each_tile(grid_.tiles, [&](std::size_t tile) {
    const Cell<D> first = grid_.tiles.first_cell(tile);
    for (std::size_t i = 0; i < half_tile_size<D>; ++i) {
      Cell<D> cell = half_cell<D>(i);
      for (std::size_t a = 0; a < D; ++a)
        cell[a] += first[a] / 2;
      if (is_inside(cell) && condition(cell, filling_[tile * half_tile_size<D> + i]))
        by_tile[tile].push_back(cell);
    }
  });
  std::vector<Cell<D>> all;
  for (const auto& cells : by_tile)
    all.insert(all.end(), cells.begin(), cells.end());
  return octree::gathered<D>(all);
}

template <int D>
octree::Cells<D> HalvedGrid<D>::near_surface(std::int32_t margin) const {
  WantedCells<D> surface(2);
  surface[1] = chosen([&](const Cell<D>& cell, Filling own) { return is_at_surface(cell, own); });
  const std::vector<std::int32_t> margins{0, margin};
  octree::Cells<D> near = widened<D>(sides_.cells, surface, margins)[1];
  for (octree::TileCells<D>& part : near) {
    octree::CellSet<D> with_liquid;
    part.cells.for_each([&](std::size_t i) {
      Cell<D> cell = grid::local_cell<D>(i);
      for (std::size_t a = 0; a < D; ++a)
        cell[a] += part.tile[a] * tile_edge<D>;
      if (filling(cell) != Filling::empty) with_liquid.insert(i);
    });
    part.cells = with_liquid;
  }
  std::erase_if(near, [](const octree::TileCells<D>& part) { return part.cells.empty(); });
  return near;
}

template <int D>
octree::Cells<D> HalvedGrid<D>::with_liquid() const {
  return chosen([](const Cell<D>& /*cell*/, Filling own) { return own != Filling::empty; });
}

template class HalvedGrid<2>;
template class HalvedGrid<3>;

}  // namespace sluice::fluid::adaptive
