// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "solver/fluid/gas/semi_lagrangian.h"
#include "solver/fluid/lattice/mac_grid.h"

namespace sluice::fluid::grid {

/// A place, in cells from the lower corner of cell 0 on.
template <int D>
using Place = std::array<double, D>;

/// A box of cells from 0 on, some more of them on all sides.
template <int D>
struct FlowBox {
  static constexpr std::int32_t edge = D == 3 ? 20 : 40;  ///< [cells]

  /// Calls visit(index in arrays, cell) for all cells, also around the box.
  template <typename Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t i = 0; i < grid.tiles.count() * tile_size<D>; ++i)
      visit(i, grid.tiles.cell(i));
  }

  /// The place of a face's middle, or of a cell's where `axis` is Advected::in_middles.
  static Place<D> place(const Cell<D>& cell, int axis) {
    Place<D> X;
    for (std::size_t a = 0; a < D; ++a)
      X[a] = cell[a] + (static_cast<int>(a) == axis ? 0.0 : 0.5);
    return X;
  }

  /// Whether it is in the box or on its rim; at least `from_rim` cells away from that.
  static bool has(const Place<D>& X, double from_rim = 0) {
    bool is_inside = true;
    for (const double x : X)
      is_inside = is_inside && x >= from_rim && x <= edge - from_rim;
    return is_inside;
  }

  /// value(place) for all cells, or faces.
  template <typename Value>
  Array<float> sampled(int axis, const Value& value) const {
    Array<float> values(grid.tiles.array_size(), 0);
    for_each([&](std::size_t i, const Cell<D>& cell) {
      values[i] = static_cast<float>(value(place(cell, axis)));
    });
    return values;
  }

  /// Where has(place) is.
  Array<std::uint8_t> inside(int axis) const {
    Array<std::uint8_t> is_inside(grid.tiles.array_size(), 0);
    for_each(
        [&](std::size_t i, const Cell<D>& cell) { is_inside[i] = has(place(cell, axis)) ? 1 : 0; });
    return is_inside;
  }

  MacGrid<D> grid;
};

template <int D>
FlowBox<D> make_flow_box() {
  FlowBox<D> box;
  std::vector<Cell<D>> tiles;
  const std::int32_t end = (FlowBox<D>::edge + 2) / tile_edge<D> + 1;
  Cell<D> tile;
  tile.fill(-1);
  for (bool more = true; more;) {
    tiles.push_back(tile);
    more = false;
    for (std::size_t axis = 0; axis < D && !more; ++axis) {
      more = ++tile[axis] < end;
      if (!more) tile[axis] = -1;
    }
  }
  box.grid.tiles = Tiles<D>(tiles);
  for (auto& velocity : box.grid.velocity)
    velocity.assign(box.grid.tiles.array_size(), 0);
  return box;
}

}  // namespace sluice::fluid::grid
