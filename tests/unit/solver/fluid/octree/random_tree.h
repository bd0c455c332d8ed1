// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "solver/fluid/octree/tree.h"

namespace sluice::fluid::octree {

/// Cells by level.
template <int D>
using CellsByLevel = std::vector<std::vector<Cell<D>>>;

/// `count` cells at random places of random levels, none of level 0.
template <int D>
CellsByLevel<D> random_cells(const Cell<D>& size, std::size_t level_count, int count,
                             unsigned seed) {
  std::mt19937 random(seed);
  CellsByLevel<D> cells(level_count);
  for (int i = 0; i < count && level_count > 1; ++i) {
    const std::size_t k = 1 + random() % (level_count - 1);
    Cell<D> cell;
    for (std::size_t axis = 0; axis < D; ++axis)
      cell[axis] = static_cast<std::int32_t>(random() % static_cast<unsigned>(size[axis])) >> k;
    cells[k].push_back(cell);
  }
  return cells;
}

/// The tree in which these cells are divided.
template <int D>
Tree<D> tree_of(const Cell<D>& size, const CellsByLevel<D>& divided) {
  std::vector<Cells<D>> wanted;
  for (const auto& cells : divided)
    wanted.push_back(gathered<D>(cells));
  return {size, wanted};
}

template <int D>
Tree<D> random_tree(const Cell<D>& size, std::size_t level_count, int divided, unsigned seed) {
  return tree_of<D>(size, random_cells<D>(size, level_count, divided, seed));
}

/// A tree all of whose leaves are divided `times` times: a finer one of the same shape.
template <int D>
Tree<D> refined(const Tree<D>& tree, std::size_t times) {
  Cell<D> size = tree.size();
  for (std::int32_t& s : size)
    s *= std::int32_t{1} << times;
  std::vector<Cells<D>> wanted(tree.level_count() + times);
  for (std::size_t k = 0; k < tree.level_count(); ++k) {
    const auto& level = tree.level(k);
    Cells<D> leaves;
    for (std::size_t tile = 0; tile < level.tiles.count(); ++tile) {
      if (!level.leaves(tile).empty())
        leaves.push_back({level.tiles.coordinates(tile), level.leaves(tile)});
    }
    for (std::size_t j = k + times; j > k; --j) {
      wanted[j] = united<D>(wanted[j], leaves);
      leaves = children_of<D>(leaves);
    }
  }
  return {size, wanted};
}

}  // namespace sluice::fluid::octree
