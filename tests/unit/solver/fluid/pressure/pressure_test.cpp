// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/pressure/pressure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tests/unit/solver/fluid/lattice/random_grid.h"

namespace sluice::fluid::grid::pressure_test {
namespace {

TEST(Pressure, leaves_no_more_divergence_than_the_tolerance) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    expect_no_divergence(random_grid<2>(true, false, seed));
    expect_no_divergence(random_grid<2>(true, true, seed));
    expect_no_divergence(random_grid<3>(true, false, seed));
  }
  expect_no_divergence(random_grid<3>(true, true, 9));
}

// In a vessel that is shut, solids that move in cannot all be made room for; what can be done is.
TEST(Pressure, of_a_vessel_without_air_has_a_solution) {
  MacGrid<3> grid = random_grid<3>(false, true, 3);
  PressureSolver<3> solver;
  const SolveReport report = solver.project({}, grid);
  EXPECT_TRUE(report.converged) << report.residual;
  for (const auto& of_axis : grid.velocity) {
    for (const float v : of_axis)
      ASSERT_TRUE(std::isfinite(v));
  }
}

TEST(Pressure, of_all_preconditioners_is_the_same) {
  std::vector<Array<float>> pressures;
  for (const auto kind :
       {scene::Preconditioner::multigrid, scene::Preconditioner::incomplete_cholesky,
        scene::Preconditioner::jacobi}) {
    MacGrid<3> grid = random_grid<3>(true, false, 5);
    PressureSolver<3> solver;
    const SolveReport report = solver.project({kind, 1e-9, 10000}, grid);
    EXPECT_TRUE(report.converged);
    pressures.push_back(grid.pressure);
  }
  for (std::size_t i = 0; i < pressures[0].size(); ++i) {
    EXPECT_NEAR(pressures[1][i], pressures[0][i], 1e-5);
    EXPECT_NEAR(pressures[2][i], pressures[0][i], 1e-5);
  }
}

// Still water under a slope of solids with a level surface anywhere within a cell: gravity for a
// moment must leave it still, to rounding.
TEST(Pressure, holds_still_water_over_slanted_solids) {
  std::mt19937 random(2);
  std::uniform_real_distribution<float> part(0, 1);
  for (int trial = 0; trial < 5; ++trial) {
    MacGrid<3> grid = random_grid<3>(false, false, static_cast<unsigned>(trial));
    const float level = 3 + part(random);  // [cells]
    for (std::size_t i = 0; i < grid.tiles.count() * tile_size<3>; ++i) {
      const std::int32_t z = grid.tiles.cell(i)[2];
      grid.distance[i] = static_cast<float>(z) + 0.5F - level;
      grid.velocity[0][i] = grid.velocity[1][i] = 0;
      grid.velocity[2][i] = -0.1F;
    }
    PressureSolver<3> solver;
    const SolveReport report = solver.project({scene::Preconditioner::multigrid, 1e-9, 1000}, grid);
    EXPECT_TRUE(report.converged);
    for (std::size_t i = 0; i < grid.tiles.count() * tile_size<3>; ++i) {
      const bool is_wet = grid.distance[i] < 0;
      if (!is_wet || !is_solved(grid, i)) continue;
      EXPECT_NEAR(grid.velocity[0][i], 0, 1e-6);
      if (grid.open[2][i] > 0) {
        EXPECT_NEAR(grid.velocity[2][i], 0, 1e-6);
      }
    }
  }
}

}  // namespace
}  // namespace sluice::fluid::grid::pressure_test
