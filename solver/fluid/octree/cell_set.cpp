// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/octree/cell_set.h"

#include <algorithm>
#include <utility>

#include "solver/fluid/lattice/coarsening.h"

namespace sluice::fluid::octree {

using grid::child_of, grid::index_in_tile, grid::local_cell, grid::tile_edge, grid::tile_of;

namespace {

// Sorts by tile, and makes one of what has the same tile.
template <int D>
Cells<D> sorted(Cells<D> parts) {
  std::ranges::sort(parts, {}, &TileCells<D>::tile);
  Cells<D> out;
  for (const TileCells<D>& part : parts) {
    if (part.cells.empty()) continue;
    if (out.empty() || out.back().tile != part.tile) {
      out.push_back(part);
    } else {
      out.back().cells |= part.cells;
    }
  }
  return out;
}

}  // namespace

template <int D>
Cells<D> gathered(const std::vector<Cell<D>>& cells) {
  Cells<D> parts;
  for (const Cell<D>& cell : cells) {
    const Cell<D> tile = tile_of<D>(cell);
    Cell<D> local = cell;
    for (std::size_t axis = 0; axis < D; ++axis)
      local[axis] -= tile[axis] * tile_edge<D>;
    if (parts.empty() || parts.back().tile != tile) parts.push_back({tile, {}});
    parts.back().cells.insert(index_in_tile<D>(local));
  }
  return sorted<D>(std::move(parts));
}

template <int D>
Cells<D> united(const Cells<D>& a, const Cells<D>& b) {
  Cells<D> parts = a;
  parts.insert(parts.end(), b.begin(), b.end());
  return sorted<D>(std::move(parts));
}

template <int D>
Cells<D> parents_of(const Cells<D>& cells) {
  Cells<D> parts;
  for (const TileCells<D>& part : cells) {
    TileCells<D> parents{part.tile, {}};
    Cell<D> first;  // The place of the tile's first cell's parent in its tile.
    for (std::size_t axis = 0; axis < D; ++axis) {
      parents.tile[axis] >>= 1;
      first[axis] = part.tile[axis] % 2 == 0 ? 0 : tile_edge<D> / 2;
    }
    part.cells.for_each([&](std::size_t cell) {
      Cell<D> place = local_cell<D>(cell);
      for (std::size_t axis = 0; axis < D; ++axis)
        place[axis] = first[axis] + place[axis] / 2;
      parents.cells.insert(index_in_tile<D>(place));
    });
    parts.push_back(parents);
  }
  return sorted<D>(std::move(parts));
}

template <int D>
Cells<D> children_of(const Cells<D>& cells) {
  constexpr std::size_t child_count = std::size_t{1} << D;
  Cells<D> parts;
  for (const TileCells<D>& part : cells) {
    std::array<TileCells<D>, child_count> children;  // Tiles.
    for (std::size_t child = 0; child < child_count; ++child)
      children[child] = {child_of<D>(part.tile, child), {}};
    part.cells.for_each([&](std::size_t cell) {
      Cell<D> place = local_cell<D>(cell);
      std::size_t tile = 0;
      for (std::size_t axis = 0; axis < D; ++axis) {
        if (place[axis] < tile_edge<D> / 2) continue;
        tile |= std::size_t{1} << axis;
        place[axis] -= tile_edge<D> / 2;
      }
      for (std::size_t child = 0; child < child_count; ++child)
        children[tile].cells.insert(index_in_tile<D>(child_of<D>(place, child)));
    });
    parts.insert(parts.end(), children.begin(), children.end());
  }
  return sorted<D>(std::move(parts));
}

template Cells<2> gathered<2>(const std::vector<Cell<2>>&);
template Cells<3> gathered<3>(const std::vector<Cell<3>>&);
template Cells<2> united<2>(const Cells<2>&, const Cells<2>&);
template Cells<3> united<3>(const Cells<3>&, const Cells<3>&);
template Cells<2> parents_of<2>(const Cells<2>&);
template Cells<3> parents_of<3>(const Cells<3>&);
template Cells<2> children_of<2>(const Cells<2>&);
template Cells<3> children_of<3>(const Cells<3>&);

}  // namespace sluice::fluid::octree
