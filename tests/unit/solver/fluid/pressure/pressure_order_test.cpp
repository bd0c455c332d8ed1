// SPDX-License-Identifier: Apache-2.0
// Pressure around curved solids against a manufactured solution. A flow that is the gradient of p
// everywhere is all taken away by the pressure p, whatever solids stand in it: what is left flows
// through none of them.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

#include "solver/fluid/lattice/cell_frame.h"
#include "solver/fluid/obstacles/solid_faces.h"
#include "solver/fluid/pressure/pressure.h"

namespace sluice::fluid::grid::pressure_order_test {
namespace {

constexpr double k = 2 * std::numbers::pi;

// In a box of 1 m: waves along each axis, and one along all of them.
template <int D>
double pressure_at(const std::array<double, D>& x) {
  double waves = 0, phase = 0.4;
  for (std::size_t axis = 0; axis < D; ++axis) {
    waves += std::cos(k * x[axis] + 0.3 * static_cast<double>(axis));
    phase += k * x[axis] / 2;
  }
  return waves + std::sin(phase);
}

template <int D>
double gradient_at(const std::array<double, D>& x, std::size_t axis) {
  double phase = 0.4;
  for (const double along : x)
    phase += k * along / 2;
  return -k * std::sin(k * x[axis] + 0.3 * static_cast<double>(axis)) + k / 2 * std::cos(phase);
}

struct Errors {
  double mean = 0, largest = 0;  // The pressure's: root of the mean square, and the largest.
};

// n cells along each axis, a ball that cuts through them anyhow, and a slanted plate in a corner.
template <int D>
Errors errors_on(std::int32_t n) {
  const double dx = 1.0 / n;
  const CellFrame<D> frame{static_cast<float>(dx), Vec3f::Zero()};
  Sides<D> sides;
  sides.cells.fill(n);
  for (auto& axis : sides.is_wall)
    axis = {true, true};
  std::vector<scene::Obstacle> obstacles(2);
  obstacles[0].shape.form = geometry::Sphere{0.213};
  obstacles[0].shape.translation = {0.471, 0.5, 0.538};
  obstacles[1].shape.form = geometry::HalfSpace{};
  obstacles[1].shape.translation = {0.07, 0.5, 0.05};
  obstacles[1].shape.rotation = Eigen::AngleAxisd(0.6, Vec3::UnitY()).toRotationMatrix();
  SolidFaces<D> solids(frame, sides, 0.5);
  solids.set_obstacles(obstacles);

  const std::int32_t tiles_along = (n + tile_edge<D> - 1) / tile_edge<D>;
  std::vector<Cell<D>> tiles;
  Cell<D> tile{};
  const auto count = static_cast<std::int32_t>(std::lround(std::pow(tiles_along + 2, D)));
  for (std::int32_t i = 0; i < count; ++i) {
    std::int32_t rest = i;
    for (std::int32_t& c : tile) {
      c = rest % (tiles_along + 2) - 1;
      rest /= tiles_along + 2;
    }
    tiles.push_back(tile);
  }
  MacGrid<D> grid;
  grid.tiles = Tiles<D>(tiles);
  const std::size_t size = grid.tiles.array_size();
  grid.distance.assign(size, 1);
  grid.density.assign(size, 1);
  grid.is_full.assign(grid.tiles.count() + 1, 0);
  for (auto& of_axis : grid.velocity)
    of_axis.assign(size, 0);
  const auto place = [&](const Cell<D>& cell, int axis) {
    std::array<double, D> x;
    for (std::size_t a = 0; a < D; ++a)
      x[a] = dx * (cell[a] + (static_cast<int>(a) == axis ? 0.0 : 0.5));
    return x;
  };
  const std::size_t cells = grid.tiles.count() * tile_size<D>;
  for (std::size_t i = 0; i < cells; ++i) {
    const Cell<D> cell = grid.tiles.cell(i);
    const bool is_within =
        std::ranges::all_of(cell, [n](std::int32_t c) { return c >= 0 && c < n; });
    if (is_within) grid.distance[i] = -1;
    for (int axis = 0; axis < D; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      grid.velocity[a][i] = static_cast<float>(gradient_at<D>(place(cell, axis), a));
    }
  }
  solids.find(grid);
  PressureSolver<D> solver;
  const SolveReport report = solver.project({scene::Preconditioner::multigrid, 1e-9, 200}, grid);
  EXPECT_TRUE(report.converged);

  std::vector<double> errors;
  double sum = 0;
  for (std::size_t i = 0; i < cells; ++i) {
    const Cell<D> cell = grid.tiles.cell(i);
    bool is_open = grid.distance[i] < 0;
    for (std::size_t axis = 0; is_open && axis < D; ++axis) {
      Cell<D> after = cell;
      ++after[axis];
      is_open = grid.open[axis][i] > 0 || grid.open[axis][grid.tiles.find_cell(after)] > 0;
    }
    if (!is_open || grid.pressure[i] == 0) continue;
    const double found = static_cast<double>(grid.pressure[i]) * dx;
    errors.push_back(found - pressure_at<D>(place(cell, -1)));
    sum += errors.back();
  }
  Errors result;
  for (double& error : errors) {
    error -= sum / static_cast<double>(errors.size());  // Nothing says how high it is.
    result.mean += error * error / static_cast<double>(errors.size());
    result.largest = std::max(result.largest, std::abs(error));
  }
  result.mean = std::sqrt(result.mean);
  return result;
}

template <int D>
void expect_second_order(std::int32_t n) {
  const Errors coarse = errors_on<D>(n), middle = errors_on<D>(2 * n), fine = errors_on<D>(4 * n);
  EXPECT_GT(std::log2(coarse.mean / middle.mean), 1.9);
  EXPECT_GT(std::log2(middle.mean / fine.mean), 1.9);
  EXPECT_GT(std::log2(coarse.largest / middle.largest), 1.9);
  EXPECT_GT(std::log2(middle.largest / fine.largest), 1.9);
}

TEST(PressureOrder, around_curved_solids_is_two) {
  expect_second_order<2>(32);
  expect_second_order<3>(16);
}

}  // namespace
}  // namespace sluice::fluid::grid::pressure_order_test
