// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/liquid/particle_cells.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "solver/parallel/parallel_for.h"
#include "solver/parallel/parallel_reduce.h"
#include "solver/parallel/radix_sort.h"

namespace sluice::fluid::grid {
namespace {

constexpr std::int64_t particle_cells_grain = 16384;  // Particles.

// A tile, and the box of its cells that have particles.
template <int D>
struct Occupied {
  Cell<D> tile, lower, upper;
};

// By coordinate: compilers call a function for arrays.
template <int D>
bool is_same(const Cell<D>& a, const Cell<D>& b) {
  bool is_same = true;
  for (std::size_t axis = 0; axis < D; ++axis)
    is_same = is_same && a[axis] == b[axis];
  return is_same;
}

template <int D>
bool comes_before(const Occupied<D>& a, const Occupied<D>& b) {
  return a.tile < b.tile;
}

// Where a place at the end of a period rounds to, is still in its last cell.
template <int D>
Cell<D> cell_of(const CellFrame<D>& frame, const Vec3f& x, const Cell<D>& period) {
  Cell<D> cell = cell_at<D>(frame.coordinates(x));
  for (std::size_t axis = 0; axis < D; ++axis) {
    if (period[axis] > 0) cell[axis] = std::clamp(cell[axis], 0, period[axis] - 1);
  }
  return cell;
}

// Sorts, and makes one of those that are of the same tile.
template <int D>
void unite(std::vector<Occupied<D>>& tiles) {
  std::sort(tiles.begin(), tiles.end(), comes_before<D>);
  std::size_t count = 0;
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    if (count == 0 || !is_same<D>(tiles[count - 1].tile, tiles[i].tile)) {
      tiles[count++] = tiles[i];
      continue;
    }
    for (std::size_t axis = 0; axis < D; ++axis) {
      Occupied<D>& into = tiles[count - 1];
      into.lower[axis] = std::min(into.lower[axis], tiles[i].lower[axis]);
      into.upper[axis] = std::max(into.upper[axis], tiles[i].upper[axis]);
    }
  }
  tiles.resize(count);
}

template <int D>
std::vector<Occupied<D>> find_occupied(const CellFrame<D>& frame, std::span<const Vec3f> positions,
                                       const Cell<D>& period) {
  using List = std::vector<Occupied<D>>;
  return parallel::parallel_reduce(
      0, static_cast<std::int64_t>(positions.size()), particle_cells_grain, List{},
      [&](std::int64_t first, std::int64_t last) {
        List found;
        Occupied<D> last_one{};
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
          const Cell<D> cell = cell_of<D>(frame, positions[i], period);
          const Cell<D> tile = tile_of<D>(cell);
          // Neighbours in memory are mostly neighbours in space.
          const bool is_first = i == static_cast<std::size_t>(first);
          if (is_first || !is_same<D>(last_one.tile, tile)) {
            if (!is_first) found.push_back(last_one);
            last_one = {tile, cell, cell};
          }
          for (std::size_t axis = 0; axis < D; ++axis) {
            last_one.lower[axis] = std::min(last_one.lower[axis], cell[axis]);
            last_one.upper[axis] = std::max(last_one.upper[axis], cell[axis]);
          }
        }
        found.push_back(last_one);
        unite<D>(found);
        return found;
      },
      [](List a, const List& b) {
        a.insert(a.end(), b.begin(), b.end());
        unite<D>(a);
        return a;
      });
}

// All tiles with a cell within `reach` of the boxes; of those that a period [tiles] makes the same,
// the one within it.
template <int D>
std::vector<Cell<D>> tiles_within(std::span<const Occupied<D>> occupied, std::int32_t reach,
                                  const Cell<D>& period) {
  std::vector<Cell<D>> tiles;
  for (const Occupied<D>& box : occupied) {
    Cell<D> lower = box.lower, upper = box.upper;
    for (std::size_t axis = 0; axis < D; ++axis) {
      lower[axis] -= reach;
      upper[axis] += reach;
    }
    lower = tile_of<D>(lower);
    upper = tile_of<D>(upper);
    for (std::size_t axis = 0; axis < D; ++axis) {
      if (period[axis] > 0) upper[axis] = std::min(upper[axis], lower[axis] + period[axis] - 1);
    }
    for (Cell<D> tile = lower;;) {
      tiles.push_back(within_period<D>(tile, period));
      std::size_t axis = 0;
      while (axis < D && ++tile[axis] > upper[axis]) {
        tile[axis] = lower[axis];
        ++axis;
      }
      if (axis == D) break;
    }
  }
  std::sort(tiles.begin(), tiles.end());
  tiles.erase(std::unique(tiles.begin(), tiles.end()), tiles.end());
  return tiles;
}

}  // namespace

template <int D>
ParticleCells<D> find_cells(const CellFrame<D>& frame, std::span<const Vec3f> positions,
                            std::int32_t reach, const Cell<D>& period) {
  ParticleCells<D> out;
  const std::vector<Occupied<D>> occupied = find_occupied<D>(frame, positions, period);
  Cell<D> tiles_of_period = period;
  for (std::int32_t& c : tiles_of_period)
    c /= tile_edge<D>;
  out.tiles = Tiles<D>(tiles_within<D>(occupied, reach, tiles_of_period), tiles_of_period);
  for (const Occupied<D>& tile : occupied)
    out.occupied.push_back(static_cast<std::uint32_t>(out.tiles.find(tile.tile)));
  std::sort(out.occupied.begin(), out.occupied.end());
  std::vector<std::uint32_t> cells(positions.size());
  parallel::parallel_for(0, static_cast<std::int64_t>(cells.size()), particle_cells_grain,
                         [&](std::int64_t first, std::int64_t last) {
                           Cell<D> tile{};
                           std::size_t begin = out.tiles.find(tile) * tile_size<D>;
                           for (auto i = static_cast<std::size_t>(first);
                                i < static_cast<std::size_t>(last); ++i) {
                             Cell<D> cell = cell_of<D>(frame, positions[i], period);
                             const Cell<D> of_cell = tile_of<D>(cell);
                             if (!is_same<D>(of_cell, tile)) {
                               tile = of_cell;
                               begin = out.tiles.find(tile) * tile_size<D>;
                             }
                             for (std::size_t axis = 0; axis < D; ++axis)
                               cell[axis] -= tile[axis] * tile_edge<D>;
                             cells[i] = static_cast<std::uint32_t>(begin + index_in_tile<D>(cell));
                           }
                         });
  out.order.resize(positions.size());
  std::iota(out.order.begin(), out.order.end(), 0U);
  parallel::radix_sort<std::uint32_t>(cells, out.order);
  const std::size_t cell_count = out.tiles.count() * tile_size<D>;
  out.first.resize(cell_count + 1);
  // A particle fills in all cells from the one after the cell of the one before it on, to its own.
  const auto count = static_cast<std::int64_t>(cells.size());
  parallel::parallel_for(
      0, count + 1, particle_cells_grain, [&](std::int64_t begin, std::int64_t end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
          const std::size_t from = i == 0 ? 0 : cells[i - 1] + 1;
          const std::size_t to = i == cells.size() ? cell_count : cells[i];
          for (std::size_t cell = from; cell <= to; ++cell)
            out.first[cell] = static_cast<std::uint32_t>(i);
        }
      });
  return out;
}

template ParticleCells<2> find_cells<2>(const CellFrame<2>&, std::span<const Vec3f>, std::int32_t,
                                        const Cell<2>&);
template ParticleCells<3> find_cells<3>(const CellFrame<3>&, std::span<const Vec3f>, std::int32_t,
                                        const Cell<3>&);

}  // namespace sluice::fluid::grid
