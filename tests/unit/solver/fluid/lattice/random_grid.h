// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <random>
#include <utility>
#include <vector>

#include "solver/fluid/lattice/mac_grid.h"
#include "solver/fluid/pressure/pressure.h"

namespace sluice::fluid::grid {

/// Random parts of faces, surfaces and velocities on some tiles; around them all is closed.
template <int D>
MacGrid<D> random_grid(bool has_air, bool moves, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> part(0, 1);
  std::vector<Cell<D>> tiles;
  Cell<D> tile{};
  for (int n = 0; n < (D == 3 ? 27 : 9); ++n) {
    int rest = n;
    for (std::int32_t& c : tile) {
      c = rest % 3 - 1;
      rest /= 3;
    }
    tiles.push_back(tile);
  }
  MacGrid<D> grid;
  grid.tiles = Tiles<D>(tiles);
  const std::size_t size = grid.tiles.array_size();
  grid.distance.assign(size, 1);
  grid.room.assign(size, 1);
  grid.density.assign(size, 1);
  grid.is_clear.assign(grid.tiles.count() + 1, 0);
  grid.is_full.assign(grid.tiles.count() + 1, 0);
  for (std::size_t axis = 0; axis < D; ++axis) {
    grid.velocity[axis].assign(size, 0);
    grid.open[axis].assign(size, 0);
    if (moves) grid.solid_flow[axis].assign(size, 0);
  }
  for (std::size_t i = 0; i < size - tile_size<D>; ++i) {
    const Cell<D> cell = grid.tiles.cell(i);
    bool is_within = true;
    for (const std::int32_t c : cell)
      is_within = is_within && c > -tile_edge<D> && c < 2 * tile_edge<D> - 1;
    if (!is_within) continue;
    grid.distance[i] = has_air && part(random) < 0.3F ? part(random) : part(random) - 1.001F;
    for (std::size_t axis = 0; axis < D; ++axis) {
      grid.velocity[axis][i] = 2 * part(random) - 1;
      if (moves) grid.solid_flow[axis][i] = 2 * part(random) - 1;
      // Open towards the outermost layer too would let it out.
      if (cell[axis] <= 1 - tile_edge<D>) continue;
      const float open = part(random);
      // A pocket that is shut has no room for what moves in: none is, then.
      grid.open[axis][i] = open < 0.2F ? (moves ? 0.1F : 0.0F) : open > 0.7F ? 1 : open;
      if (moves) grid.solid_flow[axis][i] *= 1 - grid.open[axis][i];
    }
  }
  return grid;
}

/// The flow out of cell i, from the definition in pressure.h.
template <int D>
double outflow(const MacGrid<D>& grid, std::size_t i) {
  double sum = 0;
  Cell<D> cell = grid.tiles.cell(i);
  for (std::size_t axis = 0; axis < D; ++axis) {
    Cell<D> after = cell;
    ++after[axis];
    for (const auto& [face, sign] :
         {std::pair{i, -1.0}, std::pair{grid.tiles.find_cell(after), 1.0}}) {
      const double open = grid.open[axis][face];
      sum += sign * open * grid.velocity[axis][face];
      if (!grid.solid_flow[axis].empty()) sum += sign * grid.solid_flow[axis][face];
    }
  }
  return sum;
}

template <int D>
bool is_solved(const MacGrid<D>& grid, std::size_t i) {
  if (!(grid.distance[i] < 0)) return false;
  Cell<D> cell = grid.tiles.cell(i);
  for (std::size_t axis = 0; axis < D; ++axis) {
    Cell<D> after = cell;
    ++after[axis];
    if (grid.open[axis][i] > 0 || grid.open[axis][grid.tiles.find_cell(after)] > 0) return true;
  }
  return false;
}

template <int D>
double norm_of_outflow(const MacGrid<D>& grid) {
  double squared = 0;
  for (std::size_t i = 0; i < grid.tiles.count() * tile_size<D>; ++i) {
    if (is_solved(grid, i)) squared += std::pow(outflow(grid, i), 2);
  }
  return std::sqrt(squared);
}

/// That pressure leaves no more of the divergence of `grid` than its tolerance.
template <int D>
void expect_no_divergence(const MacGrid<D>& grid) {
  const double before = norm_of_outflow(grid);
  PressureSolver<D> solver;
  for (const double tolerance : {1e-3, 1e-6}) {
    MacGrid<D> projected = grid;
    scene::PressureSettings settings;
    settings.tolerance = tolerance;
    const SolveReport report = solver.project(settings, projected);
    EXPECT_TRUE(report.converged);
    // Velocities are floats: 1e-7 each.
    EXPECT_LT(norm_of_outflow(projected), 1.01 * (tolerance + 3e-7) * before) << tolerance;
  }
}

}  // namespace sluice::fluid::grid
