// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/adaptive/fluid_level.h"

#include <array>
#include <cmath>

#include "solver/fluid/lattice/each_tile.h"
#include "solver/fluid/lattice/padded_tile.h"
#include "solver/fluid/octree/faces.h"
#include "solver/parallel/parallel_reduce.h"

namespace sluice::fluid::adaptive {

using grid::local_cell, grid::padded_index, grid::padded_size, grid::padded_stride,
    grid::Surroundings, grid::tile_size;

namespace {

constexpr std::int64_t fluid_level_grain = 4;  // Tiles.

// Adds a whole face with fluid, in a side of the domain, to those of its level.
template <int D>
void add_side_face(const Layer<D>& layer, const Cell<D>& cell, std::size_t axis, std::size_t index,
                   std::vector<SideFace>& faces) {
  const bool is_lower = cell[axis] == 0;
  Cell<D> leaf = cell;
  if (!is_lower) --leaf[axis];
  const std::size_t side = is_lower ? 0 : 1;
  const bool is_open = !layer.sides.is_wall[axis][side];
  const float velocity =
      is_open ? 0 : grid::velocity_of_wall<D>(layer.sides, cell, static_cast<int>(axis), axis);
  faces.push_back({static_cast<std::uint8_t>(axis), static_cast<std::uint8_t>(side), is_open,
                   velocity, static_cast<std::uint32_t>(index),
                   static_cast<std::uint32_t>(is_lower ? index : layer.tiles.find_cell(leaf))});
}

}  // namespace

template <int D>
FluidLevel<D>::FluidLevel(const grid::CellFrame<D>& finest, std::size_t level,
                          const Sides<D>& sides, scene::PathIntegrator integrator)
    : frame(finest),
      edge(static_cast<float>(std::size_t{1} << level)),
      advection(frame, sides, integrator) {
  frame.cell_size *= edge;
}

template <int D>
void find_live(const Layer<D>& layer, FluidLevel<D>& level) {
  const std::size_t size = layer.tiles.array_size();
  level.leaves.assign(size, 0);
  level.inside.assign(size, 0);
  level.side_faces.clear();
  for (std::size_t axis = 0; axis < D; ++axis)
    level.live_faces[axis].assign(size, 0);
  grid::for_each_tile(layer.tiles, [&](std::size_t tile) {
    for (std::size_t index = tile * tile_size<D>; index < (tile + 1) * tile_size<D>; ++index) {
      const bool has_fluid = layer.has_fluid(index);
      level.leaves[index] = has_fluid && layer.cells[index] == CellKind::leaf ? 1 : 0;
      level.inside[index] = has_fluid ? 1 : 0;
      for (std::size_t axis = 0; axis < D; ++axis) {
        const bool is_live =
            layer.faces[axis][index] == FaceKind::whole && layer.has_fluid(axis, index);
        level.live_faces[axis][index] = is_live ? 1 : 0;
      }
    }
  });
  for (std::size_t tile = 0; tile < layer.tiles.count(); ++tile) {
    const Cell<D> first = layer.tiles.first_cell(tile);
    for (std::size_t axis = 0; axis < D; ++axis) {
      for (const std::int32_t at : {0, layer.sides.cells[axis]}) {
        if (at < first[axis] || at >= first[axis] + grid::tile_edge<D>) continue;
        for (std::size_t i = 0; i < tile_size<D>; ++i) {
          const std::size_t index = tile * tile_size<D> + i;
          const Cell<D> cell = layer.tiles.cell(index);
          if (cell[axis] != at || level.live_faces[axis][index] == 0) continue;
          add_side_face<D>(layer, cell, axis, index, level.side_faces);
          if (!level.side_faces.back().is_open) level.live_faces[axis][index] = 0;
        }
      }
    }
  }
}

template <int D>
double fastest_velocity(std::span<const std::unique_ptr<FluidLevel<D>>> levels) {
  double largest = 0;
  for (const auto& level : levels) {
    for (std::size_t axis = 0; axis < D; ++axis) {
      const Array<float>& velocity = level->grid.velocity[axis];
      const Array<std::uint8_t>& live = level->live_faces[axis];
      const double of_axis = parallel::parallel_reduce(
          0, static_cast<std::int64_t>(level->grid.tiles.count()), fluid_level_grain, 0.0,
          [&](std::int64_t begin, std::int64_t end) {
            double most = 0;
            for (auto face = static_cast<std::size_t>(begin) * tile_size<D>;
                 face < static_cast<std::size_t>(end) * tile_size<D>; ++face) {
              const double speed =
                  live[face] != 0 ? std::abs(static_cast<double>(velocity[face])) : 0;
              if (!(speed <= most)) most = speed;  // Also where it is no number.
              if (std::isnan(most)) break;
            }
            return most;
          },
          [](double a, double b) { return a >= b || std::isnan(a) ? a : b; });
      largest = largest >= of_axis || std::isnan(largest) ? largest : of_axis;
    }
  }
  return largest;
}

template <int D>
double sum_of_velocities(const Layers<D>& layers, const FluidLevels<D>& levels, std::size_t axis,
                         int power) {
  std::vector<Array<float>> powers(levels.size());
  ByLevel by_level;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    powers[k] = levels[k]->grid.velocity[axis];
    for (std::size_t face = 0; face < layers[k].tiles.count() * tile_size<D>; ++face) {
      float& velocity = powers[k][face];
      if (power == 2) velocity *= velocity;
      velocity *= layers[k].has_fluid(axis, face) ? levels[k]->open_part(axis, face) : 0;
    }
    by_level.push_back(&powers[k]);
  }
  layers.average_faces(axis, by_level);
  double sum = 0;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    const Layer<D>& layer = layers[k];
    const double volume = octree::cell_volume<D>(k);
    sum += parallel::parallel_reduce(
        0, static_cast<std::int64_t>(layer.tiles.count()), fluid_level_grain, 0.0,
        [&](std::int64_t begin, std::int64_t end) {
          double of_tiles = 0;
          std::array<float, padded_size<D>> padded;
          for (auto tile = static_cast<std::size_t>(begin); tile < static_cast<std::size_t>(end);
               ++tile) {
            Surroundings<D>(layer.tiles, tile).load(powers[k].data(), padded.data());
            for (std::size_t i = 0; i < tile_size<D>; ++i) {
              if (levels[k]->leaves[tile * tile_size<D> + i] == 0) continue;
              const std::size_t here = padded_index<D>(local_cell<D>(i));
              const std::size_t above = here + padded_stride<D>(static_cast<int>(axis));
              of_tiles += 0.5 * volume *
                          (static_cast<double>(padded[here]) + static_cast<double>(padded[above]));
            }
          }
          return of_tiles;
        },
        [](double a, double b) { return a + b; });
  }
  return sum;
}

template struct FluidLevel<2>;
template struct FluidLevel<3>;
template void find_live<2>(const Layer<2>&, FluidLevel<2>&);
template void find_live<3>(const Layer<3>&, FluidLevel<3>&);
template double fastest_velocity<2>(std::span<const std::unique_ptr<FluidLevel<2>>>);
template double fastest_velocity<3>(std::span<const std::unique_ptr<FluidLevel<3>>>);
template double sum_of_velocities<2>(const Layers<2>&, const FluidLevels<2>&, std::size_t, int);
template double sum_of_velocities<3>(const Layers<3>&, const FluidLevels<3>&, std::size_t, int);

}  // namespace sluice::fluid::adaptive
