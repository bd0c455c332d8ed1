// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/octree/tree.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <utility>

namespace sluice::fluid::octree {

using grid::local_cell, grid::tile_edge, grid::tile_of;

namespace {

template <int D>
Cell<D> cell_at(const Cell<D>& tile, std::size_t index) {
  Cell<D> cell = local_cell<D>(index);
  for (std::size_t axis = 0; axis < D; ++axis)
    cell[axis] += tile[axis] * tile_edge<D>;
  return cell;
}

// Whether the domain ends within a cell that is not outside of it.
template <int D>
bool is_cut(const Cell<D>& size, std::size_t level, const Cell<D>& cell) {
  for (std::size_t axis = 0; axis < D; ++axis) {
    if ((std::int64_t{cell[axis]} + 1) << level > size[axis]) return true;
  }
  return false;
}

// Keeps the cells that the condition holds for.
template <int D, typename Condition>
Cells<D> chosen(const Cells<D>& cells, const Condition& condition) {
  Cells<D> out;
  for (const TileCells<D>& part : cells) {
    TileCells<D> kept{part.tile, {}};
    part.cells.for_each([&](std::size_t cell) {
      if (condition(cell_at<D>(part.tile, cell))) kept.cells.insert(cell);
    });
    if (!kept.cells.empty()) out.push_back(kept);
  }
  return out;
}

// All cells of a level that have something of the domain in them.
template <int D>
Cells<D> whole_level(const Cell<D>& size, std::size_t level) {
  Cell<D> count;
  std::size_t total = 1;
  for (std::size_t axis = 0; axis < D; ++axis) {
    count[axis] = static_cast<std::int32_t>(((std::int64_t{size[axis]} - 1) >> level) + 1);
    total *= static_cast<std::size_t>(count[axis]);
  }
  std::vector<Cell<D>> cells(total);
  for (std::size_t i = 0; i < total; ++i) {
    std::size_t rest = i;
    for (std::size_t axis = 0; axis < D; ++axis) {
      cells[i][axis] = static_cast<std::int32_t>(rest % static_cast<std::size_t>(count[axis]));
      rest /= static_cast<std::size_t>(count[axis]);
    }
  }
  return gathered<D>(cells);
}

// The tiles with cells, and those that hold only upper faces of them.
template <int D>
std::vector<Cell<D>> coordinates_of(const Cells<D>& cells) {
  std::vector<Cell<D>> coordinates;
  for (const TileCells<D>& part : cells) {
    coordinates.push_back(part.tile);
    std::array<bool, D> ends{};
    part.cells.for_each([&](std::size_t cell) {
      const Cell<D> local = local_cell<D>(cell);
      for (std::size_t axis = 0; axis < D; ++axis)
        ends[axis] = ends[axis] || local[axis] + 1 == tile_edge<D>;
    });
    for (std::size_t axis = 0; axis < D; ++axis) {
      if (!ends[axis]) continue;
      coordinates.push_back(part.tile);
      ++coordinates.back()[axis];
    }
  }
  std::ranges::sort(coordinates);
  coordinates.erase(std::ranges::unique(coordinates).begin(), coordinates.end());
  return coordinates;
}

}  // namespace

template <int D>
Tree<D>::Tree(const Cell<D>& size, std::vector<Cells<D>> wanted)
    : size_(size), levels_(wanted.size()) {
  assert(!wanted.empty() && wanted.size() <= most_levels);
  std::vector<Cells<D>>& divided = wanted;
  divided[0].clear();
  for (std::size_t k = 1; k < divided.size(); ++k) {
    divided[k] =
        united<D>(chosen<D>(divided[k], [&](const Cell<D>& cell) { return is_inside(k, cell); }),
                  parents_of<D>(divided[k - 1]));
  }
  Cells<D> cells = whole_level<D>(size, divided.size() - 1);
  for (std::size_t k = divided.size(); k-- > 0;) {
    Level& level = levels_[k];
    if (k > 0) {
      divided[k] = united<D>(
          divided[k], chosen<D>(cells, [&](const Cell<D>& c) { return is_cut<D>(size, k, c); }));
    }
    level.tiles = grid::Tiles<D>(coordinates_of<D>(cells));
    level.cells.resize(level.tiles.count());
    level.divided.resize(level.tiles.count());
    for (const TileCells<D>& part : cells)
      level.cells[level.tiles.find(part.tile)] = part.cells;
    for (const TileCells<D>& part : divided[k])
      level.divided[level.tiles.find(part.tile)] = part.cells;
    if (k == 0) break;
    cells = chosen<D>(children_of<D>(divided[k]),
                      [&](const Cell<D>& c) { return is_inside(k - 1, c); });
  }
  for (Level& level : levels_) {
    level.first = array_size_;
    array_size_ += level.tiles.array_size();
  }
}

template <int D>
std::size_t Tree<D>::leaf_count(std::size_t level) const noexcept {
  std::size_t count = 0;
  for (std::size_t tile = 0; tile < levels_[level].tiles.count(); ++tile)
    count += levels_[level].leaves(tile).count();
  return count;
}

template <int D>
std::size_t Tree<D>::leaf_count() const noexcept {
  std::size_t count = 0;
  for (std::size_t k = 0; k < levels_.size(); ++k)
    count += leaf_count(k);
  return count;
}

template <int D>
bool Tree<D>::is_inside(std::size_t level, const Cell<D>& cell) const noexcept {
  for (std::size_t axis = 0; axis < D; ++axis) {
    if (cell[axis] < 0 || std::int64_t{cell[axis]} << level >= size_[axis]) return false;
  }
  return true;
}

template <int D>
bool Tree<D>::has(std::size_t k, const Cell<D>& cell) const noexcept {
  const Level& level = levels_[k];
  const std::size_t index = level.tiles.find_cell(cell);
  const std::size_t tile = index / grid::tile_size<D>;
  return tile < level.tiles.count() && level.cells[tile].contains(index % grid::tile_size<D>);
}

template <int D>
typename Tree<D>::Place Tree<D>::leaf_of(std::size_t level, Cell<D> cell) const noexcept {
  for (; level + 1 < levels_.size() && !has(level, cell); ++level) {
    for (std::int32_t& c : cell)
      c >>= 1;
  }
  return {level, levels_[level].tiles.find_cell(cell)};
}

template class Tree<2>;
template class Tree<3>;

}  // namespace sluice::fluid::octree
