// SPDX-License-Identifier: Apache-2.0
// The one door: determinism, steering, snapshots, failures. Oracle: the same run made another way,
// bit by bit.
#include "solver/simulation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>

#include "tests/unit/solver/simulation_scenes.h"

namespace sluice {
namespace {

using test::advance;
using test::all_values;
using test::make_box;
using test::make_pin;
using test::make_sheet;
using test::make_simulation;
using test::positions;
using test::save_and_restore;

/// 4,096 particles that fall on a sheet, and a ball under it.
scene::Scene make_scene() {
  scene::Scene scene;
  scene.domain_lower = Vec3(-0.4, -0.4, -0.4);
  scene.domain_upper = Vec3(0.4, 0.4, 0.4);
  scene.grid.cell_size = 0.02;
  scene.fluids.push_back({"water", {make_box(Vec3(-0.08, -0.08, 0.02), Vec3(0.08, 0.08, 0.18))}});
  scene.fluids[0].sound_speed = 15;
  scene::Cloth cloth = make_sheet(21, 21, 0.02, Vec3::Zero());
  cloth.structural_stiffness = 500;
  cloth.pins.push_back(make_pin(test::rim(21, 21)));
  scene.cloths.push_back(cloth);
  scene.obstacles.push_back({"ball", {geometry::Sphere{0.05}, Vec3(0, 0, -0.2), Mat3::Identity()}});
  scene.coupling.contact_distance = 2e-3;
  return scene;
}

TEST(Simulation, layout_names_fluids_first_then_cloths) {
  const auto simulation = make_simulation(make_scene());
  ASSERT_EQ(simulation->layout().size(), 2U);
  EXPECT_EQ(simulation->layout()[0].name, "water");
  EXPECT_EQ(simulation->layout()[0].kind, BodyKind::particles);
  EXPECT_EQ(simulation->layout()[0].count, 16 * 16 * 16);
  EXPECT_EQ(simulation->layout()[1].triangles.size(), 800U);
  ASSERT_EQ(simulation->fields().size(), 4U);
  EXPECT_EQ(simulation->fields()[3].values.size(), 3U * 441U);
}

TEST(Simulation, frames_land_on_multiples_of_the_frame_time) {
  const auto simulation = make_simulation(make_scene());
  advance(*simulation, 3);
  EXPECT_EQ(simulation->frame_index(), 3);
  EXPECT_EQ(simulation->time(), 3 / 60.0);
}

TEST(Simulation, same_bits_for_any_number_of_threads) {
  // One after the other: simulations that live at once share the fewest threads of any of them.
  const auto run = [](int thread_count) {
    std::vector<std::vector<float>> frames;
    const auto simulation = make_simulation(make_scene(), thread_count);
    for (int i = 0; i < 12; ++i) {
      advance(*simulation, 1);
      frames.push_back(all_values(*simulation));
    }
    return frames;
  };
  const auto one = run(1);
  EXPECT_EQ(one, run(2));
  EXPECT_EQ(one, run(3));
}

TEST(Simulation, restored_run_goes_on_with_the_same_bits) {
  const auto scene = make_scene();
  const auto whole = make_simulation(scene);
  advance(*whole, 7);
  const auto restored = save_and_restore(*whole, scene, 2);
  EXPECT_EQ(restored->frame_index(), 7);
  EXPECT_EQ(all_values(*restored), all_values(*whole));
  advance(*whole, 5);
  advance(*restored, 5);
  EXPECT_EQ(all_values(*restored), all_values(*whole));
}

TEST(Simulation, damaged_or_foreign_snapshots_are_refused) {
  auto scene = make_scene();
  const auto simulation = make_simulation(scene);
  advance(*simulation, 1);
  const auto snapshot = simulation->save();
  const auto code_of = [&](const std::vector<std::byte>& bytes) {
    const auto restored = Simulation::restore(scene, {1, nullptr}, bytes);
    return restored ? std::optional<ErrorCode>() : restored.error().code;
  };
  EXPECT_EQ(code_of(snapshot), std::nullopt);
  EXPECT_EQ(code_of({}), ErrorCode::invalid_snapshot);
  for (const std::size_t size : {1UL, 20UL, 40UL, snapshot.size() / 2, snapshot.size() - 1}) {
    EXPECT_EQ(code_of({snapshot.begin(), snapshot.begin() + static_cast<std::ptrdiff_t>(size)}),
              ErrorCode::invalid_snapshot);
  }
  for (std::size_t at = 0; at < snapshot.size(); at += snapshot.size() / 23) {
    auto damaged = snapshot;
    damaged[at] ^= std::byte{0x10};
    EXPECT_EQ(code_of(damaged), ErrorCode::invalid_snapshot) << "byte " << at;
  }
  scene.cloths[0].area_density *= 1.001;
  EXPECT_EQ(code_of(snapshot), ErrorCode::invalid_snapshot);
}

/// Steers at two frames and runs to frame 10; optionally saved and restored between the two.
std::vector<float> steered_run(int thread_count, bool restart) {
  const auto scene = make_scene();
  auto simulation = make_simulation(scene, thread_count);
  advance(*simulation, 2);
  EXPECT_TRUE(simulation->steer(SetGravity{Vec3(1, 0, -9)}));
  EXPECT_TRUE(simulation->steer(PushFluid{Vec3(0, 0, 0.1), 0.06, Vec3(0, 30, 0), 3}));
  EXPECT_TRUE(simulation->steer(DragBody{"sheet", Vec3::Zero(), Vec3(0, 0, -0.02), 0.05, 100, 4}));
  advance(*simulation, 2);
  if (restart) simulation = save_and_restore(*simulation, scene, thread_count);
  EXPECT_TRUE(simulation->steer(MovePin{"sheet", "pin", Vec3(0, 0, 0.1)}));
  advance(*simulation, 6);
  return all_values(*simulation);
}

TEST(Simulation, steering_replays_to_the_same_bits) {
  const auto once = steered_run(1, false);
  EXPECT_EQ(once, steered_run(2, false));
  EXPECT_EQ(once, steered_run(1, true));
  const auto unsteered = make_simulation(make_scene());
  advance(*unsteered, 10);
  EXPECT_NE(once, all_values(*unsteered));
}

TEST(Simulation, steering_moves_what_it_names) {
  auto scene = make_scene();
  scene.gravity.setZero();
  const auto simulation = make_simulation(scene);
  const auto before = positions(*simulation, 1);
  ASSERT_TRUE(simulation->steer(MovePin{"sheet", "pin", Vec3(0, 0, -0.3)}));
  advance(*simulation, 6);
  EXPECT_NEAR(positions(*simulation, 1)[0].z(), before[0].z() - 0.03, 1e-6);
  ASSERT_TRUE(simulation->steer(MovePin{"sheet", "pin", Vec3::Zero()}));
  ASSERT_TRUE(
      simulation->steer(DragBody{"sheet", Vec3(0.1, 0, 0), Vec3(0.1, 0, -0.2), 0.15, 20, 20}));
  const double height = positions(*simulation, 1)[225].z();
  advance(*simulation, 20);
  EXPECT_LT(positions(*simulation, 1)[225].z(), height - 0.002);
  ASSERT_TRUE(simulation->steer(PushFluid{Vec3(0, 0, 0.1), 1, Vec3(20, 0, 0), 2}));
  const auto statistics = simulation->advance_frame();
  ASSERT_TRUE(statistics);
  EXPECT_GT(statistics.value().momentum.x(), 0.5 * 4.096 * 20 / 60);
}

TEST(Simulation, refuses_commands_that_mean_nothing) {
  const auto simulation = make_simulation(make_scene());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refused = [&](const SteerCommand& command) {
    const auto answer = simulation->steer(command);
    return !answer && answer.error().code == ErrorCode::invalid_scene &&
           !answer.error().message.empty();
  };
  EXPECT_TRUE(refused(SetGravity{Vec3(0, nan, 0)}));
  EXPECT_TRUE(refused(MovePin{"curtain", "pin", Vec3::Zero()}));
  EXPECT_TRUE(refused(MovePin{"sheet", "left", Vec3::Zero()}));
  EXPECT_TRUE(refused(MovePin{"sheet", "pin", Vec3(nan, 0, 0)}));
  EXPECT_TRUE(refused(DragBody{"water", Vec3::Zero(), Vec3::Zero(), 1, 1, 1}));
  EXPECT_TRUE(refused(DragBody{"sheet", Vec3::Zero(), Vec3::Zero(), 0, 1, 1}));
  EXPECT_TRUE(refused(DragBody{"sheet", Vec3::Zero(), Vec3::Zero(), 1, -1, 1}));
  EXPECT_TRUE(refused(DragBody{"sheet", Vec3::Zero(), Vec3::Zero(), 1, 1, 0}));
  EXPECT_TRUE(refused(DragBody{"sheet", Vec3(5, 5, 5), Vec3::Zero(), 0.1, 1, 1}));
  EXPECT_TRUE(refused(PushFluid{Vec3::Zero(), -1, Vec3::Zero(), 1}));
  EXPECT_TRUE(refused(PushFluid{Vec3::Zero(), 1, Vec3::Zero(), 0}));
}

TEST(Simulation, a_state_that_runs_away_ends_the_frame_and_takes_it_back) {
  const auto simulation = make_simulation(make_scene());
  advance(*simulation, 2);
  const auto before = all_values(*simulation);
  ASSERT_TRUE(simulation->steer(MovePin{"sheet", "pin", Vec3(0, 0, 1e100)}));
  const auto state = simulation->save();
  const auto statistics = simulation->advance_frame();
  ASSERT_FALSE(statistics);
  EXPECT_EQ(statistics.error().code, ErrorCode::solver_diverged);
  EXPECT_NE(statistics.error().message.find("frame 3"), std::string::npos);
  EXPECT_EQ(simulation->frame_index(), 2);
  EXPECT_EQ(all_values(*simulation), before);
  EXPECT_EQ(simulation->save(), state);
  // Once more from the state that was taken back, and on from there when the pin is let go.
  EXPECT_FALSE(simulation->advance_frame());
  EXPECT_EQ(simulation->save(), state);
  ASSERT_TRUE(simulation->steer(MovePin{"sheet", "pin", Vec3::Zero()}));
  advance(*simulation, 2);
  const auto undisturbed = make_simulation(make_scene());
  advance(*undisturbed, 4);
  EXPECT_EQ(all_values(*simulation), all_values(*undisturbed));
}

TEST(Simulation, a_frame_of_too_many_substeps_names_what_shortens_them) {
  const auto failure = [](const scene::Scene& scene, const std::vector<SteerCommand>& commands) {
    const auto simulation = make_simulation(scene);
    for (const SteerCommand& command : commands)
      EXPECT_TRUE(simulation->steer(command));
    const auto statistics = simulation->advance_frame();
    if (statistics) return std::string("no failure");
    EXPECT_EQ(statistics.error().code, ErrorCode::solver_diverged);
    return statistics.error().message;
  };
  const auto expect_cause = [](const std::string& message, const char* cause) {
    EXPECT_NE(message.find("frame 1: needs more than"), std::string::npos) << message;
    EXPECT_NE(message.find(cause), std::string::npos) << message;
  };
  auto scene = make_scene();
  scene.coupling.max_substep = 1e-8;
  expect_cause(failure(scene, {}), "max_substep_seconds");
  scene = make_scene();
  scene.cloths[0].structural_stiffness = 1e7;
  scene.cloths[0].area_density = 1e-3;
  scene.frame_rate = 1;
  expect_cause(failure(scene, {}), "\"sheet\"");
  expect_cause(failure(make_scene(), {PushFluid{Vec3(0, 0, 0.1), 0.06, Vec3(0, 1e12, 0), 1}}),
               "\"water\"");
}

}  // namespace
}  // namespace sluice
