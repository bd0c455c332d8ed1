// SPDX-License-Identifier: Apache-2.0
// Still water of MPM beside obstacles. Symptom: it circulated for ever, beside a slope of 25
// degrees at 60 to 110 mm/s RMS, and sank by 3 to 6 %.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "solver/fluid/mpm/mpm_fluid.h"
#include "tests/validation/fluid/still_water.h"

namespace sluice::fluid {
namespace {

using test::ball;
using test::ramp;
using test::StillWater;

class MpmRest : public testing::TestWithParam<StillWater> {};

TEST_P(MpmRest, water_comes_to_rest_and_keeps_its_height) {
  const scene::Scene scene = scene_of(GetParam());
  MpmFluid fluid(scene);
  const test::Rest rest = test::rest_after_a_while(fluid, scene.gravity);
  RecordProperty("mm_per_s", std::to_string(1e3 * rest.speed));
  EXPECT_LT(rest.speed, GetParam().most_speed);
  EXPECT_NEAR(rest.height, 1, GetParam().most_change);
}

INSTANTIATE_TEST_SUITE_P(
    Beside, MpmRest,
    testing::Values(
        StillWater{.name = "nothing", .obstacles = {}},
        StillWater{.name = "ramp10", .obstacles = {ramp(10)}},
        StillWater{.name = "ramp25", .obstacles = {ramp(25)}},
        // Every cell of such a slope is cut alike, and so is the lattice that particles start from.
        StillWater{.name = "ramp45", .obstacles = {ramp(45)}},
        StillWater{.name = "step", .obstacles = {test::step()}},
        StillWater{.name = "ball_on_floor", .obstacles = {ball({0.41, 0.1, 0.1}, 0.1)}},
        StillWater{.name = "ball_half_out", .obstacles = {ball({0.41, 0.1, 0.3}, 0.1)}},
        StillWater{.name = "slanted_box",
                   .obstacles = {test::turned_box({0.41, 0.1, 0.13}, {0.24, 1, 0.1}, 20)}},
        StillWater{.name = "post", .obstacles = {test::post()}},
        StillWater{.name = "post_and_ramp", .obstacles = {ramp(25), test::post()}},
        // Nodes are in the middle of the plates, and on one of their two sides there is no water.
        StillWater{.name = "behind_a_plate",
                   .obstacles = {test::turned_box({0.4, 0.1, 0.25}, {0.02, 1, 0.8}, 0)},
                   .length = 0.4},
        StillWater{.name = "behind_a_thin_plate",
                   .obstacles = {test::turned_box({0.4, 0.1, 0.25}, {2e-3, 1, 0.8}, 0)},
                   .length = 0.4,
                   .most_speed = 0.02,
                   .most_change = 0.02},
        StillWater{.name = "sticky_ramp25",
                   .obstacles = {ramp(25)},
                   .wall = scene::WallCondition::no_slip},
        StillWater{.name = "cubic_ramp25",
                   .obstacles = {ramp(25)},
                   .kernel = scene::Kernel::cubic,
                   .most_speed = 2.5e-3},
        StillWater{.name = "cubic_ball",
                   .obstacles = {ball({0.41, 0.1, 0.1}, 0.1)},
                   .kernel = scene::Kernel::cubic},
        StillWater{.name = "ramp25_in_3d", .obstacles = {ramp(25)}, .dimensions = 3, .cell = 0.04},
        test::from_wall_to_wall(2), test::from_wall_to_wall(3),
        StillWater{.name = "ball_in_3d",
                   .obstacles = {ball({0.41, 0.1, 0.1}, 0.09)},
                   .dimensions = 3,
                   .cell = 0.04}),
    [](const auto& water) { return water.param.name; });

// What calms still water must not hold what runs. Oracle: a body that slides without friction.
TEST(MpmSlope, a_drop_slides_down_a_gentle_one_freely) {
  constexpr double degrees = 3, seconds = 0.6;
  scene::Scene scene = test::tank({2, 0.2, 1}, 0.02, test::box({0.94, -1, 0.24}, {1.06, 1, 0.27}));
  scene.grid.dimensions = 2;
  scene.obstacles = {test::turned_box({1, 0.1, 0.1}, {6, 1, 0.3}, degrees)};
  MpmFluid fluid(scene);
  double time = 0;
  while (time < seconds) {
    const double h = std::min(fluid.stable_substep(), 1.0);
    fluid.advance_velocities(h, scene.gravity);
    fluid.commit();
    time += h;
  }
  Vec3 velocity = Vec3::Zero();
  for (const Vec3f& v : fluid.velocities())
    velocity += v.cast<double>() / static_cast<double>(fluid.particle_count());
  const double free = scene.gravity.norm() * std::sin(degrees * std::numbers::pi / 180) * time;
  EXPECT_NEAR(velocity.norm(), free, 0.02 * free);
}

}  // namespace
}  // namespace sluice::fluid
