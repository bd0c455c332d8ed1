// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/adaptive/tree_projection.h"

#include <array>
#include <span>

#include "solver/fluid/adaptive/leaf_flow.h"
#include "solver/fluid/lattice/each_tile.h"

namespace sluice::fluid::adaptive {

using grid::for_each_tile, grid::tile_size;

template <int D>
void TreeProjection<D>::set(const octree::Tree<D>& tree, const Layers<D>& layers,
                            const FluidLevels<D>& levels) {
  tree_ = &tree;
  octree::TreeWeights<D> weights;
  weights.fixed.assign(tree_->array_size(), 0);
  for (auto& open : weights.open)
    open.assign(tree_->array_size(), 0);
  for (std::size_t k = 0; k < levels.size(); ++k)
    set_weights(*tree_, k, layers[k], *levels[k], layers[k].in_tree, weights);
  solver_.set(*tree_, weights);
}

template <int D>
grid::SolveReport TreeProjection<D>::project(const scene::PressureSettings& settings,
                                             const Layers<D>& layers,
                                             const FluidLevels<D>& levels) {
  find_source(layers, levels);
  const grid::SolveReport report = solver_.solve(settings.tolerance, settings.max_iterations);
  for (std::size_t k = 0; k < levels.size(); ++k)
    subtract_gradients<D>(*tree_, k, layers[k].in_tree, solver_.gradients(), solver_.solution(),
                          *levels[k]);
  return report;
}

// What flows through faces of level 0, by their whole area.
template <int D>
void TreeProjection<D>::find_flow(const FluidLevel<D>& finest) {
  for (std::size_t axis = 0; axis < D; ++axis) {
    flow_[axis] = finest.grid.velocity[axis];
    const Array<float>& solid = finest.grid.solid_flow[axis];
    for (std::size_t face = 0; face < finest.grid.tiles.count() * tile_size<D>; ++face) {
      flow_[axis][face] *= finest.grid.open[axis][face];
      if (!solid.empty()) flow_[axis][face] += solid[face];
    }
  }
}

// What flows into each leaf, in velocities through faces of the finest cells.
template <int D>
void TreeProjection<D>::find_source(const Layers<D>& layers, const FluidLevels<D>& levels) {
  for (const auto& level : levels)
    set_velocities_of_walls(*level);
  const bool is_cut = !levels.front()->grid.open[0].empty();
  if (is_cut) find_flow(*levels.front());
  std::array<ByLevel, D> flows;
  for (std::size_t axis = 0; axis < D; ++axis) {
    for (const auto& level : levels)
      flows[axis].push_back(&level->grid.velocity[axis]);
    if (is_cut) flows[axis].front() = &flow_[axis];
    layers.average_faces(axis, flows[axis]);
  }
  for (std::size_t k = 0; k < levels.size(); ++k) {
    std::array<const float*, D> of_level;
    for (std::size_t axis = 0; axis < D; ++axis)
      of_level[axis] = flows[axis][k]->data();
    find_outflow<D>(*tree_, k, layers[k], layers[k].in_tree, of_level, solver_.source());
  }
}

template <int D>
void TreeProjection<D>::add_to_pressure(float of_last, const Layers<D>& layers,
                                        const FluidLevels<D>& levels) const {
  const std::span<const double> solution = solver_.solution();
  for (std::size_t k = 0; k < levels.size(); ++k) {
    const Layer<D>& layer = layers[k];
    const auto& of_tree = tree_->level(k);
    Array<float>& pressure = levels[k]->pressure;
    for_each_tile(layer.tiles, [&](std::size_t tile) {
      if (layer.in_tree[tile] == of_tree.tiles.count()) return;
      const std::size_t from = of_tree.first + layer.in_tree[tile] * tile_size<D>;
      of_tree.leaves(layer.in_tree[tile]).for_each([&](std::size_t i) {
        float& of_leaf = pressure[tile * tile_size<D> + i];
        of_leaf = of_last * of_leaf + static_cast<float>(solution[from + i]);
      });
    });
  }
}

template class TreeProjection<2>;
template class TreeProjection<3>;

}  // namespace sluice::fluid::adaptive
