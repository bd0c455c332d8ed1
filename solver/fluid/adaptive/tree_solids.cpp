// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/adaptive/tree_solids.h"

#include <algorithm>
#include <cmath>

#include "solver/fluid/gas/semi_lagrangian.h"
#include "solver/fluid/lattice/advection.h"
#include "solver/geometry/shape.h"

namespace sluice::fluid::adaptive {
namespace {

// [finest cells] So deep solids have small cells below their surface, for interpolation to look at.
constexpr double depth_of_small_cells = 3;

// [cells of a level] Around the end of a path. Cubic interpolation looks further, but its values
// are within those of the nearest cells.
constexpr std::int32_t sight = 1;

}  // namespace

template <int D>
TreeSolids<D>::TreeSolids(const grid::GasSettings<D>& settings, std::size_t level_count, double cfl)
    : settings_(settings),
      level_count_(level_count),
      faces_(settings.frame, settings.sides, settings.depth),
      screens_(settings.frame, settings.depth, grid::cells_that_mix) {
  for (std::size_t k = 0; k < level_count; ++k) {
    margin_of_thin_.push_back(
        static_cast<std::int32_t>(std::ceil(std::ldexp(cfl + 1, -static_cast<int>(k)))) + sight);
  }
  start_.cells = end_.cells = WantedCells<D>(level_count);
}

template <int D>
void TreeSolids<D>::set_obstacles(std::span<const scene::Obstacle> obstacles) {
  const bool are_same = std::ranges::equal(obstacles, end_.obstacles, grid::are_at_one_place);
  end_.obstacles.assign(obstacles.begin(), obstacles.end());
  if (!are_same) end_.cells = cells_around(end_.obstacles);
  const auto is_moving = [](const scene::Obstacle& obstacle) {
    return !obstacle.velocity.isZero(0);
  };
  do_change_ = !std::ranges::equal(start_.obstacles, end_.obstacles, grid::are_at_one_place) ||
               std::ranges::any_of(start_.obstacles, is_moving) ||
               std::ranges::any_of(end_.obstacles, is_moving);
  screens_.set_obstacles(obstacles);
}

template <int D>
WantedCells<D> TreeSolids<D>::cells_around(std::span<const scene::Obstacle> obstacles) const {
  const auto find = [&](const std::function<double(const Vec3& x)>& distance) {
    return cells_in<D>(distance, settings_.frame, settings_.depth, settings_.sides.cells,
                       level_count_);
  };
  const auto edge = static_cast<double>(settings_.frame.cell_size);
  WantedCells<D> cells = find([&](const Vec3& x) {
    const double distance = distance_to(obstacles, x);
    return std::max(distance, -distance - depth_of_small_cells * edge);
  });
  for (const scene::Obstacle& obstacle : obstacles) {
    if (!grid::is_thin<D>(obstacle.shape, grid::cells_that_mix * edge)) continue;
    const WantedCells<D> in_obstacle =
        find([&](const Vec3& x) { return distance_to({&obstacle, 1}, x); });
    cells = united<D>(cells, widened<D>(settings_.sides.cells, in_obstacle, margin_of_thin_));
  }
  return cells;
}

template <int D>
WantedCells<D> TreeSolids<D>::cells() const {
  return do_change_ ? united<D>(start_.cells, end_.cells) : end_.cells;
}

template <int D>
void TreeSolids<D>::go_on() {
  start_ = end_;
  do_change_ = false;
  faces_.set_obstacles(start_.obstacles);
}

template <int D>
void TreeSolids<D>::find(Layers<D>& layers, const FluidLevels<D>& levels) {
  if (is_empty()) {
    if (layers.are_cells_cut())
      layers.find_fluid([](std::size_t /*level*/, const Cell<D>& /*cell*/) { return false; });
    return;
  }
  FluidLevel<D>& finest = *levels.front();
  faces_.find(finest.grid);
  // A gas is a liquid that fills all of the domain, for faces_.constrain().
  const Array<CellKind>& kinds = layers[0].cells;
  finest.grid.distance.resize(kinds.size());
  std::ranges::transform(kinds, finest.grid.distance.begin(),
                         [](CellKind kind) { return kind == CellKind::outside ? 1.0F : -1.0F; });
  layers.find_fluid(finest.grid.open, [&](std::size_t level, const Cell<D>& cell) {
    const Vec3 middle =
        levels[level]->frame.place(cell, grid::Vec<D>::Constant(0.5F), settings_.depth);
    return distance_to(start_.obstacles, middle) < 0;
  });
}

template <int D>
const grid::Screens<D>* TreeSolids<D>::screens(const grid::MacGrid<D>& finest, float h) {
  if (screens_.is_empty()) return nullptr;
  screens_.look_around(finest.tiles, h, static_cast<double>(h * grid::highest_speed(finest)));
  return &screens_;
}

template <int D>
void TreeSolids<D>::constrain(const Layers<D>& layers, FluidLevel<D>& finest) const {
  if (is_empty()) return;
  faces_.constrain(finest.grid);
  for (std::size_t axis = 0; axis < D; ++axis)
    layers.outside(0).fill_faces(axis, finest.grid.velocity[axis]);
}

template class TreeSolids<2>;
template class TreeSolids<3>;

}  // namespace sluice::fluid::adaptive
