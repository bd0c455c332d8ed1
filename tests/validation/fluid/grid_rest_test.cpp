// SPDX-License-Identifier: Apache-2.0
// Still water of FLUID_SOLVER_INCOMPRESSIBLE beside obstacles.
#include <gtest/gtest.h>

#include "solver/fluid/liquid/grid_fluid.h"
#include "tests/validation/fluid/still_water.h"

namespace sluice::fluid::grid::grid_rest_test {
namespace {

using test::ball;
using test::ramp;
using test::StillWater;

class GridRest : public testing::TestWithParam<StillWater> {};

TEST_P(GridRest, water_comes_to_rest_and_keeps_its_height) {
  scene::Scene scene = scene_of(GetParam());
  scene.grid.solver = scene::FluidSolver::incompressible;
  scene.fluids[0].dynamic_viscosity = 0;
  const test::Rest rest = [&] {
    if (scene.grid.dimensions == 2) {
      GridFluid<2> fluid(scene);
      return test::rest_after_a_while(fluid, scene.gravity);
    }
    GridFluid<3> fluid(scene);
    return test::rest_after_a_while(fluid, scene.gravity);
  }();
  RecordProperty("mm_per_s", std::to_string(1e3 * rest.speed));
  RecordProperty("height_percent", std::to_string(100 * (rest.height - 1)));
  EXPECT_LT(rest.speed, GetParam().most_speed);
  EXPECT_NEAR(rest.height, 1, GetParam().most_change);
}

INSTANTIATE_TEST_SUITE_P(
    Beside, GridRest,
    testing::Values(
        StillWater{.name = "nothing", .obstacles = {}},
        StillWater{.name = "ramp10", .obstacles = {ramp(10)}},
        StillWater{.name = "ramp25", .obstacles = {ramp(25)}},
        StillWater{.name = "ramp45", .obstacles = {ramp(45)}},
        StillWater{.name = "step", .obstacles = {test::step()}},
        StillWater{.name = "ball_on_floor", .obstacles = {ball({0.41, 0.1, 0.1}, 0.1)}},
        StillWater{.name = "ball_half_out", .obstacles = {ball({0.41, 0.1, 0.3}, 0.1)}},
        StillWater{.name = "slanted_box",
                   .obstacles = {test::turned_box({0.41, 0.1, 0.13}, {0.24, 1, 0.1}, 20)}},
        StillWater{.name = "post", .obstacles = {test::post()}},
        StillWater{.name = "post_and_ramp", .obstacles = {ramp(25), test::post()}},
        StillWater{.name = "half_a_cell_more_ramp25", .obstacles = {ramp(25)}, .depth = 0.31},
        StillWater{.name = "half_a_cell_more_ramp45", .obstacles = {ramp(45)}, .depth = 0.31},
        StillWater{.name = "half_a_cell_more_ball_half_out",
                   .obstacles = {ball({0.41, 0.1, 0.3}, 0.1)},
                   .depth = 0.31},
        StillWater{.name = "half_a_cell_more_post_and_ramp",
                   .obstacles = {ramp(25), test::post()},
                   .depth = 0.31},
        StillWater{.name = "sticky_ramp25",
                   .obstacles = {ramp(25)},
                   .wall = scene::WallCondition::no_slip},
        StillWater{.name = "half_a_cell_more_with_nothing", .obstacles = {}, .depth = 0.31},
        StillWater{.name = "half_a_cell_more_with_nothing_in_3d",
                   .obstacles = {},
                   .dimensions = 3,
                   .cell = 0.025,
                   .depth = 0.2875},
        // Full to the middles of cells.
        StillWater{.name = "ramp25_in_3d", .obstacles = {ramp(25)}, .dimensions = 3, .cell = 0.04},
        test::from_wall_to_wall(2), test::from_wall_to_wall(3),
        StillWater{.name = "ball_in_3d",
                   .obstacles = {ball({0.41, 0.1, 0.1}, 0.09)},
                   .dimensions = 3,
                   .cell = 0.04}),
    [](const auto& water) { return water.param.name; });

}  // namespace
}  // namespace sluice::fluid::grid::grid_rest_test
