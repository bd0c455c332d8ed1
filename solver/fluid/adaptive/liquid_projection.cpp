// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/adaptive/liquid_projection.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "solver/fluid/adaptive/sizing.h"
#include "solver/fluid/lattice/each_tile.h"
#include "solver/fluid/lattice/padded_tile.h"
#include "solver/fluid/pressure/evening.h"
#include "solver/fluid/pressure/liquid_system.h"

namespace sluice::fluid::adaptive {

using grid::local_cell, grid::padded_index, grid::padded_size, grid::padded_stride,
    grid::Surroundings, grid::tile_size;

namespace {

// The cells around a tile of the grid that pressure looks at.
template <int D>
struct Around {
  std::array<float, padded_size<D>> distance;
  std::array<std::uint8_t, padded_size<D>> is_interior;

  Around(const grid::MacGrid<D>& grid, std::size_t tile) {
    const Surroundings<D> around(grid.tiles, tile);
    around.load(grid.distance.data(), distance.data());
    around.load(grid.is_interior.data(), is_interior.data());
  }
  [[nodiscard]] bool is_wet(std::size_t cell) const {
    return is_interior[cell] != 0 || distance[cell] < 0;
  }
  [[nodiscard]] bool is_own_liquid(std::size_t cell) const {
    return is_interior[cell] == 0 && distance[cell] < 0;
  }
};

// The parents of a grid's cells with liquid that are not the interior's.
template <int D>
octree::Cells<D> parents_with_liquid(const octree::Tree<D>& tree, const grid::MacGrid<D>& grid) {
  octree::Cells<D> cells(grid.tiles.count());
  grid::for_each_tile(grid.tiles, [&](std::size_t tile) {
    cells[tile].tile = grid.tiles.coordinates(tile);
    const Cell<D> first = grid.tiles.first_cell(tile);
    for (std::size_t i = 0; i < tile_size<D>; ++i) {
      if (!(grid.distance[tile * tile_size<D> + i] < 0) ||
          grid.is_interior[tile * tile_size<D> + i] != 0)
        continue;
      Cell<D> cell = local_cell<D>(i);
      for (std::size_t a = 0; a < D; ++a)
        cell[a] += first[a];
      if (tree.is_inside(0, cell)) cells[tile].cells.insert(i);
    }
  });
  return octree::parents_of<D>(cells);
}

}  // namespace

template <int D>
void LiquidProjection<D>::make_tree(const octree::Tree<D>& tree, const grid::MacGrid<D>& grid) {
  WantedCells<D> wanted = divided_cells<D>(tree);
  wanted[1] = octree::united<D>(wanted[1], parents_with_liquid<D>(tree, grid));
  tree_ = octree::Tree<D>(tree.size(), std::move(wanted));
}

// Calls visit(tile of the grid, where the tree's tile at that place begins in its arrays).
template <int D>
template <typename Visit>
void LiquidProjection<D>::for_each_tile_of_both(const grid::Tiles<D>& tiles,
                                                const Visit& visit) const {
  grid::for_each_tile(tiles, [&](std::size_t tile) {
    const auto& finest = tree_.level(0);
    if (in_tree_[0][tile] != finest.tiles.count())
      visit(tile, finest.first + in_tree_[0][tile] * tile_size<D>);
  });
}

template <int D>
void LiquidProjection<D>::make_system(const Layers<D>& layers, const FluidLevels<D>& levels,
                                      const grid::MacGrid<D>& grid) {
  octree::TreeWeights<D> weights;
  weights.fixed.assign(tree_.array_size(), 0);
  for (auto& open : weights.open)
    open.assign(tree_.array_size(), 0);
  in_tree_.assign(1, tiles_in_tree<D>(grid.tiles, tree_.level(0)));
  for (std::size_t k = 1; k < levels.size(); ++k) {
    in_tree_.push_back(tiles_in_tree<D>(layers[k].tiles, tree_.level(k)));
    set_weights(tree_, k, layers[k], *levels[k], in_tree_[k], weights);
  }
  for_each_tile_of_both(grid.tiles, [&](std::size_t tile, std::size_t first) {
    const Around<D> around(grid, tile);
    std::array<float, padded_size<D>> open;
    for (int axis = 0; axis < D; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      Surroundings<D>(grid.tiles, tile).load(grid.open[a].data(), open.data());
      for (std::size_t i = 0; i < tile_size<D>; ++i) {
        const std::size_t here = padded_index<D>(local_cell<D>(i));
        const std::size_t below = here - padded_stride<D>(axis),
                          above = here + padded_stride<D>(axis);
        const bool is_tied = (around.is_own_liquid(here) && around.is_wet(below)) ||
                             (around.is_own_liquid(below) && around.is_wet(here));
        weights.open[a][first + i] = is_tied ? open[here] : 0;
        if (!around.is_own_liquid(here)) continue;
        for (const auto& [other, face] : {std::pair(below, here), std::pair(above, above)}) {
          if (around.is_wet(other)) continue;
          weights.fixed[first + i] +=
              open[face] / grid::way_to_surface(around.distance[here], around.distance[other]);
        }
      }
    }
  });
  solver_.set(tree_, weights);
}

// At the unknowns of the grid's system, with its arrays.
template <int D>
void LiquidProjection<D>::set_source(const Array<double>& of_grid) {
  const auto& finest = tree_.level(0);
  for (const std::uint32_t tile : system_->solved_tiles()) {
    if (in_tree_[0][tile] == finest.tiles.count()) continue;
    double* const out = solver_.source().data() + finest.first + in_tree_[0][tile] * tile_size<D>;
    for (std::size_t i = 0; i < tile_size<D>; ++i)
      out[i] = system_->is_unknown(tile, i) ? of_grid[tile * tile_size<D> + i] : 0;
  }
}

template <int D>
void LiquidProjection<D>::find_source(std::span<float> inflow, const Layers<D>& layers,
                                      const FluidLevels<D>& levels, const grid::MacGrid<D>& grid) {
  std::array<ByLevel, D> flows;
  for (std::size_t axis = 0; axis < D; ++axis) {
    for (const auto& level : levels)
      flows[axis].push_back(&level->grid.velocity[axis]);
    layers.average_faces(axis, flows[axis]);
  }
  for (std::size_t k = 1; k < levels.size(); ++k) {
    std::array<const float*, D> of_level;
    for (std::size_t axis = 0; axis < D; ++axis)
      of_level[axis] = flows[axis][k]->data();
    find_outflow<D>(tree_, k, layers[k], in_tree_[k], of_level, solver_.source());
  }
  grid::find_divergence<D>(grid, *system_, divergence_);
  set_source(divergence_);
  if (inflow.empty()) return;
  Array<float> fitted(tree_.array_size(), 0);
  const auto for_each_inflow = [&](const auto& visit) {
    for_each_tile_of_both(grid.tiles, [&](std::size_t tile, std::size_t first) {
      for (std::size_t i = 0; i < tile_size<D>; ++i) {
        float& of_cell = inflow[tile * tile_size<D> + i];
        if (of_cell > 0 && system_->is_unknown(tile, i)) visit(of_cell, first + i);
      }
    });
  };
  for_each_inflow([&](float of_cell, std::size_t to) { fitted[to] = of_cell; });
  solver_.fit(fitted);
  for_each_inflow([&](float& of_cell, std::size_t from) {
    of_cell = fitted[from];
    solver_.source()[from] += static_cast<double>(of_cell);
  });
}

template <int D>
void LiquidProjection<D>::find_potential(const grid::Tiles<D>& tiles,
                                         Array<float>& potential) const {
  potential.assign(tiles.array_size(), 0);
  for_each_tile_of_both(tiles, [&](std::size_t tile, std::size_t first) {
    for (std::size_t i = 0; i < tile_size<D>; ++i)
      potential[tile * tile_size<D> + i] = static_cast<float>(solver_.solution()[first + i]);
  });
}

// As grid::subtract_gradient(), and on the faces between the grid's liquid and the interior.
template <int D>
void LiquidProjection<D>::subtract_gradient(float scale, float most, grid::MacGrid<D>& grid) const {
  grid::subtract_gradient<D>(*system_, potential_, scale, most, grid);
  for_each_tile_of_both(grid.tiles, [&](std::size_t tile, std::size_t first) {
    const Around<D> around(grid, tile);
    for (int axis = 0; axis < D; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      for (std::size_t i = 0; i < tile_size<D>; ++i) {
        const std::size_t here = padded_index<D>(local_cell<D>(i));
        const std::size_t below = here - padded_stride<D>(axis);
        const bool is_between = around.is_interior[here] != around.is_interior[below];
        const std::size_t face = tile * tile_size<D> + i;
        if (is_between && grid.open[a][face] > 0 && around.is_wet(here) && around.is_wet(below)) {
          grid.velocity[a][face] -=
              scale * std::clamp(solver_.gradients()[a][first + i], -most, most);
        }
      }
    }
  });
}

template <int D>
grid::SolveReport LiquidProjection<D>::project(const scene::PressureSettings& settings,
                                               std::span<float> inflow, const octree::Tree<D>& tree,
                                               const Layers<D>& layers,
                                               const FluidLevels<D>& levels,
                                               grid::MacGrid<D>& grid) {
  system_ = std::make_unique<grid::PoissonSystem<D>>(grid::liquid_system<D>(grid));
  make_tree(tree, grid);
  make_system(layers, levels, grid);
  for (std::size_t k = 1; k < levels.size(); ++k)
    set_velocities_of_walls(*levels[k]);
  find_source(inflow, layers, levels, grid);
  const grid::SolveReport report = solver_.solve(settings.tolerance, settings.max_iterations);
  find_potential(grid.tiles, potential_);
  subtract_gradient(1, std::numeric_limits<float>::infinity(), grid);
  grid::close_faces<D>(grid);
  grid.pressure = potential_;
  for (std::size_t k = 1; k < levels.size(); ++k) {
    FluidLevel<D>& level = *levels[k];
    subtract_gradients<D>(tree_, k, in_tree_[k], solver_.gradients(), solver_.solution(), level);
    const auto& of_tree = tree_.level(k);
    grid::for_each_tile(level.grid.tiles, [&](std::size_t tile) {
      if (in_tree_[k][tile] == of_tree.tiles.count()) return;
      const std::size_t from = of_tree.first + in_tree_[k][tile] * tile_size<D>;
      for (std::size_t i = 0; i < tile_size<D>; ++i)
        level.pressure[tile * tile_size<D> + i] = static_cast<float>(solver_.solution()[from + i]);
    });
  }
  return report;
}

template <int D>
void LiquidProjection<D>::even_out(float scale, float spacing, grid::MacGrid<D>& grid) {
  grid::find_excess<D>(grid, *system_, spacing, divergence_);
  std::ranges::fill(solver_.source(), 0.0);
  set_source(divergence_);
  solver_.solve(grid::evening_tolerance, grid::most_evening_iterations);
  find_potential(grid.tiles, potential_);
  subtract_gradient(scale, grid::most_evening_way, grid);
}

template class LiquidProjection<2>;
template class LiquidProjection<3>;

}  // namespace sluice::fluid::adaptive
