// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/adaptive/interior_sizing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "solver/fluid/lattice/coarsening.h"
#include "solver/fluid/lattice/each_tile.h"
#include "solver/geometry/shape.h"

namespace sluice::fluid::adaptive {

using grid::half_tile_edge, grid::half_tile_size, grid::tile_edge, grid::tile_size;

namespace {

// [finest cells] Of particles below the surface, besides the longest way in a substep: what a place
// at its end is interpolated between, and a cell for the surface.
constexpr double cells_of_band = 3;

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

template <int D>
InteriorSizing<D>::InteriorSizing(const scene::Scene& scene,
                                  const grid::LiquidSettings<D>& settings)
    : settings_(settings),
      adaptive_(*scene.grid.adaptive),
      band_(static_cast<std::int32_t>(std::ceil((scene.grid.cfl + cells_of_band) / 2))) {
  const auto levels = static_cast<std::size_t>(adaptive_.levels);
  margin_ = cells_by_level(scene.grid.cfl, 0, levels);
  always_.resize(levels);
  const auto add = [&](const std::function<double(const Vec3& x)>& distance) {
    always_ = united<D>(always_, cells_near(distance));
  };
  const auto add_shape = [&](const geometry::Shape& shape) {
    add([&](const Vec3& x) { return geometry::signed_distance(shape, x).distance; });
  };
  std::ranges::for_each(adaptive_.finest, add_shape);
  for (const scene::Fluid& fluid : scene.fluids) {
    for (const scene::Emitter& emitter : fluid.emitters)
      add_shape(emitter.shape);
  }
  for (const scene::Drain& drain : scene.drains)
    add_shape(drain.shape);
  const grid::CellFrame<D>& frame = settings_.frame;
  for (int axis = 0; axis < D; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const int along = grid::world_axis<D>(axis);
    for (std::size_t side = 0; side < 2; ++side) {
      if (settings_.sides.is_wall[a][side]) continue;
      const double cells = side == 0 ? 0 : settings_.sides.cells[a];
      const double end =
          static_cast<double>(frame.origin[along]) + static_cast<double>(frame.cell_size) * cells;
      add([&](const Vec3& x) { return std::abs(x[along] - end); });
    }
  }
  set_obstacles(scene.obstacles);
}

// As far around a region, `distance` [m] from it, as particles are below the surface.
template <int D>
WantedCells<D> InteriorSizing<D>::cells_near(
    const std::function<double(const Vec3& x)>& distance) const {
  const double around = static_cast<double>(settings_.frame.cell_size) * 2 * band_;
  return cells_in<D>([&](const Vec3& x) { return distance(x) - around; }, settings_.frame,
                     settings_.slab.middle(), settings_.sides.cells, always_.size());
}

template <int D>
void InteriorSizing<D>::set_obstacles(std::span<const scene::Obstacle> obstacles) {
  if (!at_obstacles_.empty() && std::ranges::equal(obstacles, obstacles_, grid::are_at_one_place))
    return;
  obstacles_.assign(obstacles.begin(), obstacles.end());
  at_obstacles_ = obstacles_.empty()
                      ? WantedCells<D>(always_.size())
                      : cells_near([&](const Vec3& x) { return distance_to(obstacles_, x); });
}

// Leaves larger than the finest cells are all liquid, or have none: has_liquid(level, leaf).
template <int D>
template <typename HasLiquid>
InteriorTree<D> InteriorSizing<D>::tree_with(const WantedCells<D>& cells,
                                             const HasLiquid& has_liquid) const {
  octree::Tree<D> tree(settings_.sides.cells, cells);
  std::vector<std::uint8_t> is_liquid(tree.array_size(), 0);
  for (std::size_t k = 1; k < tree.level_count(); ++k) {
    const auto& level = tree.level(k);
    grid::for_each_tile(level.tiles, [&](std::size_t tile) {
      level.leaves(tile).for_each([&](std::size_t i) {
        const std::size_t index = tile * tile_size<D> + i;
        is_liquid[level.first + index] = has_liquid(k, level.tiles.cell(index)) ? 1 : 0;
      });
    });
  }
  return {std::move(tree), std::move(is_liquid)};
}

template <int D>
InteriorTree<D> InteriorSizing<D>::at_start(const scene::Fluid& fluid) const {
  const double band = static_cast<double>(settings_.frame.cell_size) * 2 * (band_ + spare_cells);
  // [m] At most as deep as it is below the surface of all regions together.
  const auto depth = [&](const Vec3& x) {
    double deepest = -std::numeric_limits<double>::infinity();
    for (const geometry::Shape& region : fluid.regions)
      deepest = std::max(deepest, -geometry::signed_distance(region, x).distance);
    return deepest;
  };
  const double plane = settings_.slab.middle();
  const WantedCells<D> shallow = cells_in<D>(
      [&](const Vec3& x) {
        const double deep = depth(x);
        return std::max(deep - band, -deep);
      },
      settings_.frame, plane, settings_.sides.cells, always_.size());
  const WantedCells<D> cells = united<D>(shallow, united<D>(always_, at_obstacles_));
  return tree_with(graded<D>(settings_.sides.cells, cells),
                   [&](std::size_t level, const Cell<D>& leaf) {
                     grid::CellFrame<D> frame = settings_.frame;
                     frame.cell_size *= static_cast<float>(std::size_t{1} << level);
                     return depth(frame.place(leaf, grid::Vec<D>::Constant(0.5F), plane)) > 0;
                   });
}

template <int D>
WantedCells<D> InteriorSizing<D>::needed(const grid::MacGrid<D>& grid, const InteriorTree<D>& now,
                                         const InteriorFlow<D>& flow, std::int32_t spare) const {
  const std::function<bool(const Cell<D>&)> is_interior = [&](const Cell<D>& cell) {
    return now.has(cell);
  };
  const HalvedGrid<D> halved(grid, settings_.sides, is_interior);
  WantedCells<D> cells = united<D>(always_, at_obstacles_);
  cells[1] = octree::united<D>(cells[1], halved.near_surface(band_ + spare));
  if (!now.is_empty()) {
    SizedVelocity<D> velocity{{}, 0};
    for (const auto& level : flow.levels)
      velocity.levels.push_back(&level->grid.velocity);
    // Slower flows than that, which gravity starts within a cell, have no detail yet.
    const double least = std::sqrt(static_cast<double>(settings_.frame.cell_size));
    velocity.tolerance =
        static_cast<float>(part_of_velocity / adaptive_.detail * std::max(flow.fastest, least));
    std::vector<std::int32_t> margin = margin_;
    for (std::int32_t& of_level : margin)
      of_level += spare;
    cells = united<D>(cells, widened<D>(settings_.sides.cells,
                                        cells_with_detail<D>(flow.layers, {}, velocity), margin));
  }
  return graded<D>(settings_.sides.cells, std::move(cells));
}

template <int D>
InteriorTree<D> InteriorSizing<D>::tree_of(const WantedCells<D>& cells,
                                           const grid::MacGrid<D>& grid,
                                           const InteriorTree<D>& now) const {
  return tree_with(cells, [&](std::size_t level, Cell<D> leaf) {
    for (std::int32_t& c : leaf)  // Its first cell of level 0.
      c *= std::int32_t{1} << level;
    const std::size_t index = grid.tiles.find_cell(leaf);
    const bool is_in_grid = index / tile_size<D> < grid.tiles.count();
    return (is_in_grid && grid.distance[index] < 0) || now.has(leaf);
  });
}

template class HalvedGrid<2>;
template class HalvedGrid<3>;
template class InteriorSizing<2>;
template class InteriorSizing<3>;

}  // namespace sluice::fluid::adaptive
