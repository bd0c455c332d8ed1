// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/adaptive/leaf_flow.h"

#include <algorithm>

#include "solver/fluid/lattice/each_tile.h"
#include "solver/fluid/lattice/padded_tile.h"

namespace sluice::fluid::adaptive {

using grid::for_each_tile, grid::local_cell, grid::padded_index, grid::padded_size,
    grid::padded_stride, grid::Surroundings, grid::tile_size;

namespace {

// Where in arrays of the tree the leaf of a face in a side of the domain is.
template <int D>
std::size_t place_of_leaf(const typename octree::Tree<D>::Level& level, const TilesInTree& in_tree,
                          const SideFace& face) {
  const std::size_t tile = face.leaf / tile_size<D>;
  return level.first + in_tree[tile] * tile_size<D> + face.leaf % tile_size<D>;
}

}  // namespace

template <int D>
TilesInTree tiles_in_tree(const grid::Tiles<D>& tiles,
                          const typename octree::Tree<D>::Level& level) {
  TilesInTree in_tree(tiles.count());
  for (std::size_t tile = 0; tile < tiles.count(); ++tile)
    in_tree[tile] = static_cast<std::uint32_t>(level.tiles.find(tiles.coordinates(tile)));
  return in_tree;
}

template <int D>
void set_weights(const octree::Tree<D>& tree, std::size_t k, const Layer<D>& layer,
                 const FluidLevel<D>& level, const TilesInTree& in_tree,
                 octree::TreeWeights<D>& weights) {
  const auto& of_tree = tree.level(k);
  for_each_tile(layer.tiles, [&](std::size_t tile) {
    if (in_tree[tile] == of_tree.tiles.count()) return;
    const std::size_t to = of_tree.first + in_tree[tile] * tile_size<D>;
    for (std::size_t i = 0; i < tile_size<D>; ++i) {
      const std::size_t face = tile * tile_size<D> + i;
      const Cell<D> cell = layer.tiles.cell(face);
      if (!tree.is_inside(k, cell)) continue;
      for (std::size_t axis = 0; axis < D; ++axis) {
        const bool is_open = cell[axis] > 0 && layer.faces[axis][face] == FaceKind::whole &&
                             layer.has_fluid(axis, face);
        weights.open[axis][to + i] = is_open ? level.open_part(axis, face) : 0;
      }
    }
  });
  for (const SideFace& face : level.side_faces) {
    if (!face.is_open) continue;
    weights.fixed[place_of_leaf<D>(of_tree, in_tree, face)] +=
        2 * octree::even_weight<D>(k) * level.open_part(face.axis, face.face);
  }
}

template <int D>
void set_velocities_of_walls(FluidLevel<D>& level) {
  for (const SideFace& face : level.side_faces) {
    if (!face.is_open) level.grid.velocity[face.axis][face.face] = face.velocity;
  }
}

template <int D>
void find_outflow(const octree::Tree<D>& tree, std::size_t k, const Layer<D>& layer,
                  const TilesInTree& in_tree, const std::array<const float*, D>& flows,
                  std::span<double> source) {
  const auto& of_tree = tree.level(k);
  const auto area = static_cast<double>(octree::face_area<D>(k));
  for_each_tile(layer.tiles, [&](std::size_t tile) {
    if (in_tree[tile] == of_tree.tiles.count()) return;
    double* const out = source.data() + of_tree.first + in_tree[tile] * tile_size<D>;
    std::fill_n(out, tile_size<D>, 0.0);
    const octree::CellSet<D> leaves = of_tree.leaves(in_tree[tile]);
    if (leaves.empty()) return;
    std::array<std::array<float, padded_size<D>>, D> flow;
    const Surroundings<D> around(layer.tiles, tile);
    for (std::size_t axis = 0; axis < D; ++axis)
      around.load(flows[axis], flow[axis].data());
    leaves.for_each([&](std::size_t i) {
      if (!layer.has_fluid(tile * tile_size<D> + i)) return;
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

template <int D>
void subtract_gradients(const octree::Tree<D>& tree, std::size_t k, const TilesInTree& in_tree,
                        const octree::Faces<D, float>& gradients, std::span<const double> solution,
                        FluidLevel<D>& level) {
  const auto& of_tree = tree.level(k);
  for_each_tile(level.grid.tiles, [&](std::size_t tile) {
    if (in_tree[tile] == of_tree.tiles.count()) return;
    const std::size_t from = of_tree.first + in_tree[tile] * tile_size<D>;
    for (std::size_t axis = 0; axis < D; ++axis) {
      for (std::size_t i = 0; i < tile_size<D>; ++i) {
        const std::size_t face = tile * tile_size<D> + i;
        if (level.live_faces[axis][face] != 0)
          level.grid.velocity[axis][face] -= gradients[axis][from + i];
      }
    }
  });
  for (const SideFace& face : level.side_faces) {
    if (!face.is_open) continue;
    const std::size_t leaf = place_of_leaf<D>(of_tree, in_tree, face);
    const float slope = 2 * static_cast<float>(solution[leaf]) / level.edge;
    level.grid.velocity[face.axis][face.face] -= face.side == 0 ? slope : -slope;
  }
}

template TilesInTree tiles_in_tree<2>(const grid::Tiles<2>&, const octree::Tree<2>::Level&);
template TilesInTree tiles_in_tree<3>(const grid::Tiles<3>&, const octree::Tree<3>::Level&);
template void set_weights<2>(const octree::Tree<2>&, std::size_t, const Layer<2>&,
                             const FluidLevel<2>&, const TilesInTree&, octree::TreeWeights<2>&);
template void set_weights<3>(const octree::Tree<3>&, std::size_t, const Layer<3>&,
                             const FluidLevel<3>&, const TilesInTree&, octree::TreeWeights<3>&);
template void set_velocities_of_walls<2>(FluidLevel<2>&);
template void set_velocities_of_walls<3>(FluidLevel<3>&);
template void find_outflow<2>(const octree::Tree<2>&, std::size_t, const Layer<2>&,
                              const TilesInTree&, const std::array<const float*, 2>&,
                              std::span<double>);
template void find_outflow<3>(const octree::Tree<3>&, std::size_t, const Layer<3>&,
                              const TilesInTree&, const std::array<const float*, 3>&,
                              std::span<double>);
template void subtract_gradients<2>(const octree::Tree<2>&, std::size_t, const TilesInTree&,
                                    const octree::Faces<2, float>&, std::span<const double>,
                                    FluidLevel<2>&);
template void subtract_gradients<3>(const octree::Tree<3>&, std::size_t, const TilesInTree&,
                                    const octree::Faces<3, float>&, std::span<const double>,
                                    FluidLevel<3>&);

}  // namespace sluice::fluid::adaptive
