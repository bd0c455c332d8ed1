// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cstddef>

#include "solver/fluid/lattice/cell.h"
#include "solver/types.h"

namespace sluice::fluid::grid {

template <int D>
using Vec = Eigen::Matrix<float, D, 1>;

/// The axis of the world that an axis of the grid is. In 2D: x and z, which is up.
template <int D>
[[nodiscard]] constexpr int world_axis(int axis) noexcept {
  return D == 2 && axis == 1 ? 2 : axis;
}

/// The frame of a lattice: where its cells are in the world.
template <int D>
struct CellFrame {
  float cell_size = 1;           ///< [m]
  Vec3f origin = Vec3f::Zero();  ///< [m] the lower corner of cell 0

  /// Returns `x` [m] in cells, from the corner of the cell `first` on. The difference is taken
  /// late: far from the origin a float has no digits to lose.
  [[nodiscard]] Vec<D> coordinates(const Vec3f& x, const Cell<D>& first = {}) const noexcept {
    Vec<D> X;
    for (int axis = 0; axis < D; ++axis) {
      const int a = world_axis<D>(axis);
      X[axis] = (x[a] - origin[a]) / cell_size -
                static_cast<float>(first[static_cast<std::size_t>(axis)]);
    }
    return X;
  }

  /// [m] The place `within` cells from a cell's corner; in 2D at `depth` [m] across the plane.
  [[nodiscard]] Vec3 place(const Cell<D>& cell, const Vec<D>& within, double depth) const noexcept {
    Vec3 x{0, depth, 0};
    for (int axis = 0; axis < D; ++axis) {
      const int a = world_axis<D>(axis);
      const auto cells = static_cast<double>(cell[static_cast<std::size_t>(axis)]) +
                         static_cast<double>(within[axis]);
      x[a] = static_cast<double>(origin[a]) + static_cast<double>(cell_size) * cells;
    }
    return x;
  }
};

/// The cell at `X` [cells], rounded down; one far from all others for a NaN or what is too far.
template <int D>
[[nodiscard]] Cell<D> cell_at(const Vec<D>& X) noexcept {
  constexpr float farthest = 1e9F;
  Cell<D> cell{};
  for (int axis = 0; axis < D; ++axis) {
    const float below = X[axis] < farthest ? X[axis] : farthest;  // Also where it is no number.
    const float x = below > -farthest ? below : -farthest;
    const auto down = static_cast<std::int32_t>(x);
    cell[static_cast<std::size_t>(axis)] = down - (static_cast<float>(down) > x ? 1 : 0);
  }
  return cell;
}

}  // namespace sluice::fluid::grid
