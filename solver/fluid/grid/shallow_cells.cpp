// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/grid/shallow_cells.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "solver/fluid/grid/cell_box.h"

namespace sluice::fluid::grid {
namespace {

// [cells] What a surface rises by in a substep at most.
constexpr float most_rise = 0.1F;

// Of a mean height: what lacks less is even enough. Particles that differ by as much are no error,
// and raising them would be a ratchet.
constexpr float even_enough = 0.1F;

// [cells] A floor so high in its cell leaves no room to say anything about.
constexpr float highest_floor = 0.75F;

}  // namespace

template <int D>
void ShallowCells<D>::find(const Frame<D>& frame, const ParticleCells<D>& cells,
                           const Screens<D>& screens, std::span<const Vec3f> positions,
                           float volume, const Vec<D>& gravity, const MacGrid<D>& grid) {
  columns_.clear();
  if (gravity.isZero(0)) return;
  Eigen::Index axis = 0;
  gravity.cwiseAbs().maxCoeff(&axis);
  axis_ = static_cast<std::size_t>(axis);
  is_up_ = gravity[axis] < 0;
  column_at_.assign(grid.tiles.array_size(), 0);
  for (const std::size_t tile : cells.occupied) {
    if (grid.is_clear[tile] != 0 || grid.is_full[tile] != 0) continue;
    for (std::size_t cell = tile * tile_size<D>; cell < (tile + 1) * tile_size<D>; ++cell) {
      if (cells.first[cell] == cells.first[cell + 1] || !screens.near(cell).empty()) continue;
      Column column{.cell = cell};
      if (!find_column(frame, cells, positions, volume, grid, column)) continue;
      columns_.push_back(column);
      column_at_[cell] = static_cast<std::uint32_t>(columns_.size());
    }
  }
  find_stretch(grid.tiles);
}

// False unless the cell is on a floor and has air above.
template <int D>
bool ShallowCells<D>::find_column(const Frame<D>& frame, const ParticleCells<D>& cells,
                                  std::span<const Vec3f> positions, float volume,
                                  const MacGrid<D>& grid, Column& column) const {
  const Tiles<D>& tiles = grid.tiles;
  const std::size_t end = tiles.count() * tile_size<D>;
  const Cell<D> here = tiles.cell(column.cell);
  Cell<D> next = here, above = here;
  ++next[axis_];
  above[axis_] += is_up_ ? 1 : -1;
  const std::size_t upper_face = tiles.find_cell(next), air = tiles.find_cell(above);
  if (upper_face >= end || air >= end) return false;
  const std::size_t under = is_up_ ? column.cell : upper_face;
  column.face = is_up_ ? upper_face : column.cell;
  if (grid.open[axis_][under] > 0 || grid.open[axis_][column.face] < 1 || grid.distance[air] < 0)
    return false;
  const Array<float>& solid_flow = grid.solid_flow[axis_];
  column.floor_speed = solid_flow.empty() ? 0.0F : solid_flow[under];
  float open = 0;
  for (std::size_t a = 0; a < D; ++a) {
    if (a == axis_) continue;
    Cell<D> beside = here;
    ++beside[a];
    const std::size_t other = tiles.find_cell(beside);
    open = std::max({open, grid.open[a][column.cell], other < end ? grid.open[a][other] : 0.0F});
  }
  column.floor = 1 - open;
  if (column.floor > highest_floor) return false;
  column.depth = column.moment = 0;
  for (const std::size_t cell : {column.cell, air}) {
    for (std::uint32_t n = cells.first[cell]; n < cells.first[cell + 1]; ++n) {
      const float x = frame.coordinates(positions[cells.order[n]], here)[static_cast<int>(axis_)];
      column.depth += volume;
      column.moment += volume * (is_up_ ? x : 1 - x);
    }
  }
  return true;
}

template <int D>
void ShallowCells<D>::find_stretch(const Tiles<D>& tiles) {
  Cell<D> from, to;
  from.fill(-1);
  to.fill(2);
  from[axis_] = 0;
  to[axis_] = 1;
  for (Column& column : columns_) {
    const Cell<D> here = tiles.cell(column.cell);
    float depth = 0, moment = 0;
    for_each_in_box<D>(from, to, [&](const Cell<D>& offset) {
      Cell<D> at = here;
      float weight = 1;
      for (std::size_t a = 0; a < D; ++a) {
        at[a] += offset[a];
        if (a != axis_) weight *= offset[a] == 0 ? 0.5F : 0.25F;
      }
      const std::uint32_t other = column_at_[tiles.find_cell(at)];
      const Column& seen = other > 0 ? columns_[other - 1] : column;
      depth += weight * seen.depth;
      moment += weight * seen.moment;
    });
    const float mean = moment / depth, right = column.floor + depth / 2;
    column.stretch = right / std::max(mean, right / 4) - 1;
  }
}

template <int D>
void ShallowCells<D>::hold(float h, float cell_size, MacGrid<D>& grid) const {
  const float up = is_up_ ? 1.0F : -1.0F;
  for (const Column& column : columns_) {
    if (grid.distance[column.cell] < 0) continue;
    float& velocity = grid.velocity[axis_][column.face];
    const float least = up * column.floor_speed + std::min(0.0F, column.stretch) * cell_size / h;
    velocity = up * std::max(up * velocity, least);
  }
}

template <int D>
void ShallowCells<D>::raise(float part, float h, float cell_size, MacGrid<D>& grid) const {
  const float up = is_up_ ? 1.0F : -1.0F;
  for (const Column& column : columns_) {
    if (!(column.stretch > even_enough)) continue;
    grid.velocity[axis_][column.face] +=
        up * std::min(part * column.stretch, most_rise) * cell_size / h;
  }
}

template class ShallowCells<2>;
template class ShallowCells<3>;

}  // namespace sluice::fluid::grid
