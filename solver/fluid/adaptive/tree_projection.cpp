// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/adaptive/tree_projection.h"

#include <algorithm>
#include <array>

#include "solver/fluid/lattice/each_tile.h"
#include "solver/fluid/lattice/padded_tile.h"
#include "solver/fluid/octree/faces.h"

namespace sluice::fluid::adaptive {

using grid::for_each_tile, grid::local_cell, grid::padded_index, grid::padded_size,
    grid::padded_stride, grid::Surroundings, grid::tile_size;

template <int D>
void TreeProjection<D>::set(const octree::Tree<D>& tree, const Layers<D>& layers,
                            const GasLevels<D>& levels) {
  multigrid_.reset();
  system_.reset();
  tree_ = &tree;
  octree::TreeWeights<D> weights;
  weights.fixed.assign(tree_->array_size(), 0);
  for (auto& open : weights.open)
    open.assign(tree_->array_size(), 0);
  for (std::size_t k = 0; k < levels.size(); ++k) {
    const Layer<D>& layer = layers[k];
    const auto& of_tree = tree_->level(k);
    for_each_tile(layer.tiles, [&](std::size_t tile) {
      if (layer.in_tree[tile] == of_tree.tiles.count()) return;
      const std::size_t to = of_tree.first + layer.in_tree[tile] * tile_size<D>;
      for (std::size_t i = 0; i < tile_size<D>; ++i) {
        const Cell<D> cell = layer.tiles.cell(tile * tile_size<D> + i);
        if (!tree_->is_inside(k, cell)) continue;
        for (std::size_t axis = 0; axis < D; ++axis) {
          const std::size_t face = tile * tile_size<D> + i;
          const bool is_open = cell[axis] > 0 && layer.has_gas(axis, face);
          weights.open[axis][to + i] = is_open ? levels[k]->open_part(axis, face) : 0;
        }
      }
    });
    for (const SideFace& face : levels[k]->side_faces) {
      if (!face.is_open) continue;
      const std::size_t tile = face.leaf / tile_size<D>;
      const std::size_t leaf =
          of_tree.first + layer.in_tree[tile] * tile_size<D> + face.leaf % tile_size<D>;
      weights.fixed[leaf] +=
          2 * octree::even_weight<D>(k) * levels[k]->open_part(face.axis, face.face);
    }
  }
  const octree::UnevenFaces uneven = octree::uneven_faces<D>(*tree_);
  system_ =
      std::make_unique<octree::TreePoisson<D>>(*tree_, uneven, weights, octree::Gradient::shared);
  multigrid_ = std::make_unique<octree::TreeMultigrid<D>>(*tree_, uneven, weights);
  rooms_ = octree::ClosedRooms<D>(*tree_, uneven, weights);
  solution_.assign(tree_->array_size(), 0);
  source_.assign(tree_->array_size(), 0);
  for (auto& gradient : gradients_)
    gradient.assign(tree_->array_size(), 0);
}

template <int D>
grid::SolveReport TreeProjection<D>::project(const scene::PressureSettings& settings,
                                             const Layers<D>& layers, const GasLevels<D>& levels) {
  find_source(layers, levels);
  const grid::SolveReport report = solver_.solve(*system_, *multigrid_, source_, settings.tolerance,
                                                 settings.max_iterations, solution_);
  apply_pressure(layers, levels);
  return report;
}

// What flows through faces of level 0, by their whole area.
template <int D>
void TreeProjection<D>::find_flow(const GasLevel<D>& finest) {
  for (std::size_t axis = 0; axis < D; ++axis) {
    flow_[axis] = finest.grid.velocity[axis];
    const Array<float>& solid = finest.grid.solid_flow[axis];
    for (std::size_t face = 0; face < finest.grid.tiles.count() * tile_size<D>; ++face) {
      flow_[axis][face] *= finest.grid.open[axis][face];
      if (!solid.empty()) flow_[axis][face] += solid[face];
    }
  }
}

// What flows into each leaf, in velocities through faces of the finest cells; in a closed room as
// much less everywhere as comes in in all.
template <int D>
void TreeProjection<D>::find_source(const Layers<D>& layers, const GasLevels<D>& levels) {
  for (const auto& level : levels) {
    for (const SideFace& face : level->side_faces) {
      if (!face.is_open) level->grid.velocity[face.axis][face.face] = face.velocity;
    }
  }
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
    const Layer<D>& layer = layers[k];
    const auto& of_tree = tree_->level(k);
    const auto area = static_cast<double>(octree::face_area<D>(k));
    for_each_tile(layer.tiles, [&](std::size_t tile) {
      const std::size_t in_tree = layer.in_tree[tile];
      if (in_tree == of_tree.tiles.count()) return;
      double* const out = source_.data() + of_tree.first + in_tree * tile_size<D>;
      std::fill_n(out, tile_size<D>, 0.0);
      const octree::CellSet<D> leaves = of_tree.leaves(in_tree);
      if (leaves.empty()) return;
      std::array<std::array<float, padded_size<D>>, D> flow;
      const Surroundings<D> around(layer.tiles, tile);
      for (std::size_t axis = 0; axis < D; ++axis)
        around.load(flows[axis][k]->data(), flow[axis].data());
      leaves.for_each([&](std::size_t i) {
        if (!layer.has_gas(tile * tile_size<D> + i)) return;
        const std::size_t here = padded_index<D>(local_cell<D>(i));
        for (int axis = 0; axis < D; ++axis) {
          const auto& of_axis = flow[static_cast<std::size_t>(axis)];
          out[i] += static_cast<double>(of_axis[here]) -
                    static_cast<double>(of_axis[here + padded_stride<D>(axis)]);
        }
        out[i] *= area;
      });
    });
  }
  rooms_.balance(source_);
}

template <int D>
void TreeProjection<D>::apply_pressure(const Layers<D>& layers, const GasLevels<D>& levels) {
  system_->find_gradients(solution_, gradients_);
  for (std::size_t k = 0; k < levels.size(); ++k) {
    const Layer<D>& layer = layers[k];
    GasLevel<D>& level = *levels[k];
    const auto& of_tree = tree_->level(k);
    for_each_tile(layer.tiles, [&](std::size_t tile) {
      if (layer.in_tree[tile] == of_tree.tiles.count()) return;
      const std::size_t from = of_tree.first + layer.in_tree[tile] * tile_size<D>;
      for (std::size_t axis = 0; axis < D; ++axis) {
        for (std::size_t i = 0; i < tile_size<D>; ++i) {
          const std::size_t face = tile * tile_size<D> + i;
          if (level.live_faces[axis][face] == 0) continue;
          level.grid.velocity[axis][face] -= gradients_[axis][from + i];
        }
      }
    });
    for (const SideFace& face : level.side_faces) {
      if (!face.is_open) continue;
      const std::size_t tile = face.leaf / tile_size<D>;
      const std::size_t leaf =
          of_tree.first + layer.in_tree[tile] * tile_size<D> + face.leaf % tile_size<D>;
      const float slope = 2 * static_cast<float>(solution_[leaf]) / level.edge;
      level.grid.velocity[face.axis][face.face] -= face.side == 0 ? slope : -slope;
    }
  }
}

template <int D>
void TreeProjection<D>::add_to_pressure(float of_last, const Layers<D>& layers,
                                        const GasLevels<D>& levels) const {
  for (std::size_t k = 0; k < levels.size(); ++k) {
    const Layer<D>& layer = layers[k];
    const auto& of_tree = tree_->level(k);
    Array<float>& pressure = levels[k]->pressure;
    for_each_tile(layer.tiles, [&](std::size_t tile) {
      if (layer.in_tree[tile] == of_tree.tiles.count()) return;
      const std::size_t from = of_tree.first + layer.in_tree[tile] * tile_size<D>;
      of_tree.leaves(layer.in_tree[tile]).for_each([&](std::size_t i) {
        float& of_leaf = pressure[tile * tile_size<D> + i];
        of_leaf = of_last * of_leaf + static_cast<float>(solution_[from + i]);
      });
    });
  }
}

template class TreeProjection<2>;
template class TreeProjection<3>;

}  // namespace sluice::fluid::adaptive
