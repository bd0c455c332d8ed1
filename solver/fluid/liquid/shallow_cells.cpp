// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/liquid/shallow_cells.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "solver/fluid/lattice/cell_box.h"

namespace sluice::fluid::grid {
namespace {

// [cells] The most that a surface rises by in a substep.
constexpr float most_rise = 0.1F;

// A mean height that lacks less than this part of half of the depth is even enough. Particles that
// differ by as much are no error, and raising them would be a ratchet.
constexpr float even_enough = 0.2F;

// [cells] Between floors so high in their cells and the next cells there is nothing to tell apart.
constexpr float highest_floor = 0.99F;

// [cells] Above the middle of a cell a floor leaves its density nothing to tell the level by; from
// the first of these levels on, the density of the next cell begins to, and from the second on it
// does alone. With a second level of 1.5, at which that cell becomes liquid, films over steps had 1
// to 14 mm/s for ever instead of 0.1 to 0.6.
constexpr float middle = 0.5F, level_of_column = 1.05F, level_of_density = 1.3F;

}  // namespace

template <int D>
void ShallowCells<D>::find(const CellFrame<D>& frame, const ParticleCells<D>& cells,
                           const Screens<D>& screens, std::span<const Vec3f> positions,
                           float volume, const Vec<D>& gravity, const MacGrid<D>& grid) {
  columns_.clear();
  if (gravity.isZero(0)) return;
  Eigen::Index axis = 0;
  gravity.cwiseAbs().maxCoeff(&axis);
  axis_ = static_cast<std::size_t>(axis);
  is_up_ = gravity[axis] < 0;
  column_at_.assign(grid.tiles.array_size(), 0);
  const std::size_t end = grid.tiles.count() * tile_size<D>;
  for (const std::size_t tile : cells.occupied) {
    if (grid.is_clear[tile] != 0 || grid.is_full[tile] != 0) continue;
    for (std::size_t cell = tile * tile_size<D>; cell < (tile + 1) * tile_size<D>; ++cell) {
      if (cells.first[cell] == cells.first[cell + 1]) continue;
      // Liquid on a high floor may all be in the cell above.
      const std::size_t lowest =
          is_on_floor(grid, cell) ? cell : next_cell(grid.tiles, cell, is_up_ ? -1 : 1);
      if (lowest >= end || column_at_[lowest] != 0 || !screens.near(lowest).empty()) continue;
      Column column{.cell = lowest};
      if (!find_column(frame, cells, positions, volume, grid, column)) continue;
      columns_.push_back(column);
      column_at_[lowest] = static_cast<std::uint32_t>(columns_.size());
    }
  }
  find_stretch(grid.tiles);
}

template <int D>
std::size_t ShallowCells<D>::next_cell(const Tiles<D>& tiles, std::size_t cell, int step) const {
  Cell<D> next = tiles.cell(cell);
  next[axis_] += step;
  return tiles.find_cell(next);
}

template <int D>
bool ShallowCells<D>::is_on_floor(const MacGrid<D>& grid, std::size_t cell) const {
  const std::size_t under = is_up_ ? cell : next_cell(grid.tiles, cell, 1);
  return under < grid.tiles.count() * tile_size<D> && !(grid.open[axis_][under] > 0);
}

// False unless the cell is on a floor and has air above.
template <int D>
bool ShallowCells<D>::find_column(const CellFrame<D>& frame, const ParticleCells<D>& cells,
                                  std::span<const Vec3f> positions, float volume,
                                  const MacGrid<D>& grid, Column& column) const {
  const Tiles<D>& tiles = grid.tiles;
  const std::size_t end = tiles.count() * tile_size<D>;
  const Cell<D> here = tiles.cell(column.cell);
  const std::size_t upper_face = next_cell(tiles, column.cell, 1);
  column.above = next_cell(tiles, column.cell, is_up_ ? 1 : -1);
  if (upper_face >= end || column.above >= end) return false;
  const std::size_t under = is_up_ ? column.cell : upper_face;
  column.face = is_up_ ? upper_face : column.cell;
  if (!is_on_floor(grid, column.cell) || grid.open[axis_][column.face] < 1 ||
      grid.distance[column.above] < 0)
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
  for (const std::size_t cell : {column.cell, column.above}) {
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
    column.level = column.floor + depth;
    column.stretch = right / std::max(mean, right / 4) - 1;
    column.is_low = right - mean > even_enough * depth / 2;
  }
}

template <int D>
void ShallowCells<D>::set_level(MacGrid<D>& grid) const {
  for (const Column& column : columns_) {
    if (column.floor < middle) continue;
    const float part = std::clamp(
        (level_of_density - column.level) / (level_of_density - level_of_column), 0.0F, 1.0F);
    float& air = grid.distance[column.above];
    air = std::max(std::lerp(air, middle + 1 - column.level, part), 0.0F);
    grid.distance[column.cell] = std::max(middle - column.level, -1.0F);
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
    if (!column.is_low) continue;
    grid.velocity[axis_][column.face] +=
        up * std::min(part * column.stretch, most_rise) * cell_size / h;
  }
}

template class ShallowCells<2>;
template class ShallowCells<3>;

}  // namespace sluice::fluid::grid
