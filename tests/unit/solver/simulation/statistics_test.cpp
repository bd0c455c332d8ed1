// SPDX-License-Identifier: Apache-2.0
// What a frame tells of itself. Oracles: energy of free fall, a clock that counts.
#include <gtest/gtest.h>

#include <numeric>

#include "solver/solid/spring.h"
#include "tests/unit/solver/simulation_scenes.h"

namespace sluice::statistics_test {
namespace {

using test::all_values;
using test::make_box;
using test::make_sheet;

/// Water and a sheet, far from everything.
scene::Scene make_falling() {
  scene::Scene scene;
  scene.domain_lower = Vec3(-0.5, -0.5, -3);
  scene.domain_upper = Vec3(0.5, 0.5, 1);
  scene.fluids.push_back({"water", {make_box(Vec3(-0.05, -0.05, 0.2), Vec3(0.05, 0.05, 0.3))}});
  scene.cloths.push_back(make_sheet(11, 11, 0.02, Vec3::Zero()));
  scene.coupling.max_substep = 1e-3;
  return scene;
}

TEST(Statistics, free_fall_turns_potential_into_kinetic_energy) {
  const auto scene = make_falling();
  const auto simulation = test::make_simulation(scene);
  const double mass = 1 + 0.2 * 0.2 * 0.2;
  const double start = 9.81 * (1 * 0.25 + 0);  // The sheet begins at height 0.
  FrameStatistics last;
  for (int i = 0; i < 15; ++i) {
    const auto statistics = simulation->advance_frame();
    ASSERT_TRUE(statistics);
    last = statistics.value();
  }
  const double fallen = 9.81 * 9.81 / 2 * 0.25 * 0.25 * mass;
  EXPECT_NEAR(last.kinetic_energy, fallen, 0.01 * fallen);
  EXPECT_NEAR(last.potential_energy, start - fallen, 0.01 * fallen);
}

TEST(Statistics, stretched_cloth_has_the_energy_of_its_springs) {
  scene::Scene scene;
  scene.gravity.setZero();
  scene.domain_lower = Vec3(-1, -1, -1);
  scene.domain_upper = Vec3(1, 1, 1);
  scene::Cloth cloth = make_sheet(2, 2, 0.1, Vec3::Zero());
  cloth.pins = {{"left", {0, 2}, Vec3::Zero()}, {"right", {1, 3}, Vec3(0.6, 0, 0)}};
  scene.cloths.push_back(cloth);
  const auto simulation = test::make_simulation(scene);
  const auto statistics = simulation->advance_frame();
  ASSERT_TRUE(statistics);
  // 1 cm longer: two edges of 0.1 m, and shear springs along the diagonals.
  const double diagonal = std::hypot(0.11, 0.1) - std::hypot(0.1, 0.1);
  const double expected = 2 * 0.5 * 50 * 0.01 * 0.01 + 2 * 0.5 * 20 * diagonal * diagonal;
  EXPECT_NEAR(statistics.value().potential_energy, expected, 1e-6 * expected);
}

TEST(Statistics, stages_take_all_the_time_there_is_and_change_nothing) {
  auto scene = make_falling();
  scene.fluids[0].regions = {make_box(Vec3(-0.05, -0.05, 0.01), Vec3(0.05, 0.05, 0.06))};
  double now = 100;
  auto timed = Simulation::create(scene, {1, nullptr, [&now] { return now += 1; }});
  const auto untimed = test::make_simulation(scene);
  ASSERT_TRUE(timed);
  const double before = now;
  const auto with = timed.value()->advance_frame();
  const double taken = now - before - 1;  // From the first reading to the last.
  const auto without = untimed->advance_frame();
  ASSERT_TRUE(with && without);
  const StageSeconds& seconds = with.value().stage_seconds;
  EXPECT_EQ(std::accumulate(seconds.begin(), seconds.end(), 0.0), taken);
  for (std::size_t stage = 0; stage < seconds.size(); ++stage) {
    const bool is_none_of_mpm = stage == static_cast<std::size_t>(Stage::fluid_pressure);
    EXPECT_EQ(seconds[stage] > 0, !is_none_of_mpm) << stage;
  }
  EXPECT_EQ(without.value().stage_seconds, StageSeconds{});
  EXPECT_EQ(all_values(*timed.value()), all_values(*untimed));
}

}  // namespace
}  // namespace sluice::statistics_test
