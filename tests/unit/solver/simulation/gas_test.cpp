// SPDX-License-Identifier: Apache-2.0
// A gas through the one door: what frames hold, steering, snapshots, failures. Oracles: by hand,
// and the same run made another way, bit by bit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "tests/unit/solver/simulation_scenes.h"

namespace sluice::gas_test {
namespace {

using test::advance;
using test::all_values;
using test::make_box;
using test::make_simulation;
using test::save_and_restore;
using test::values_of;

// A room with a ball in it, into which a hot source smokes.
scene::Scene make_room(int dimensions = 3) {
  scene::Scene scene;
  scene.domain_lower = Vec3(0, 0, 0);
  scene.domain_upper = Vec3(1, 0.6, 0.8);
  scene.grid.cell_size = 0.05;
  scene.grid.cfl = 2;
  scene.grid.dimensions = dimensions;
  scene.grid.sides[2][1] = scene::Side::open;
  scene.coupling.max_substep = 0.1;
  scene.gas.emplace();
  scene.gas->name = "air";
  scene.gas->carries = {scene::Carried::smoke, scene::Carried::temperature};
  scene.gas->vorticity_confinement = 0.2;
  scene.gas->dynamic_viscosity = 1e-3;
  scene::GasSource source;
  source.shape = make_box(Vec3(0.4, 0.2, 0.05), Vec3(0.6, 0.4, 0.2));
  source.content.smoke = 1;
  source.content.temperature = 600;
  scene.gas->sources = {source};
  scene.obstacles.push_back(
      {"ball", {geometry::Sphere{0.12}, Vec3(0.5, 0.3, 0.5), Mat3::Identity()}});
  scene.output.fields = {Field::velocity, Field::pressure};
  return scene;
}

double sum(const std::vector<float>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

TEST(GasSimulation, frames_hold_what_the_gas_carries_and_what_is_asked_for) {
  for (const int dimensions : {2, 3}) {
    const auto simulation = make_simulation(make_room(dimensions));
    ASSERT_EQ(simulation->layout().size(), 1U);
    const BodyLayout& layout = simulation->layout()[0];
    const std::int64_t count = dimensions == 2 ? 20 * 16 : 20 * 12 * 16;
    EXPECT_EQ(layout.name, "air");
    EXPECT_EQ(layout.kind, BodyKind::cells);
    EXPECT_EQ(layout.count, count);
    EXPECT_THAT(layout.fields, testing::ElementsAre(Field::smoke, Field::temperature,
                                                    Field::velocity, Field::pressure));
    ASSERT_TRUE(layout.lattice);
    EXPECT_EQ(layout.lattice->counts,
              (std::array<std::int32_t, 3>{20, dimensions == 2 ? 1 : 12, 16}));
    const auto statistics = simulation->advance_frame();
    ASSERT_TRUE(statistics) << statistics.error().message;
    const std::vector<FieldView> fields = simulation->fields();
    ASSERT_EQ(fields.size(), 4U);
    for (std::size_t f = 0; f < fields.size(); ++f) {
      EXPECT_EQ(fields[f].body, 0U);
      EXPECT_EQ(fields[f].field, layout.fields[f]);
      EXPECT_EQ(static_cast<std::int64_t>(fields[f].values.size()),
                count * component_count(fields[f].field));
    }
    EXPECT_EQ(simulation->epoch(), 0);
    EXPECT_GT(sum(values_of(*simulation, 0, Field::smoke)), 4);
    EXPECT_GT(statistics.value().kinetic_energy, 0);
    EXPECT_GT(statistics.value().momentum.z(), 0);
    EXPECT_GT(statistics.value().pressure_iteration_count, 0);
    EXPECT_LE(statistics.value().pressure_residual, 1e-6);
    EXPECT_EQ(statistics.value().particle_count, 0);
  }
}

TEST(GasSimulation, frames_have_no_velocity_unless_asked_for) {
  scene::Scene scene = make_room();
  scene.output.fields.clear();
  const auto simulation = make_simulation(scene);
  EXPECT_EQ(simulation->fields().size(), 2U);
}

// Commands at two frames, to frame 9; saved and restored between them, or at each frame.
std::vector<float> steered_run(int dimensions, int thread_count, bool restarts) {
  const scene::Scene scene = make_room(dimensions);
  auto simulation = make_simulation(scene, thread_count);
  for (int frame = 0; frame < 9; ++frame) {
    if (frame == 2) {
      EXPECT_TRUE(simulation->steer(PushFluid{Vec3(0.3, 0.3, 0.4), 0.2, Vec3(30, 5, 0), 3}));
      EXPECT_TRUE(simulation->steer(MoveObstacle{"ball", Vec3(-1, 0, 0.4)}));
      StrokeGas stroke{Vec3(0.2, 0.3, 0.6), Vec3(0.8, 0.3, 0.7), 0.15, {}, 4};
      stroke.content.smoke = 2;
      stroke.content.velocity = Vec3(-2, 0, 1);
      EXPECT_TRUE(simulation->steer(stroke));
    }
    if (frame == 4) {
      StrokeGas stroke{Vec3(0.2, 0.3, 0.2), Vec3(0.2, 0.3, 0.2), 0.2, {}, 2};
      stroke.content.temperature = 250;
      EXPECT_TRUE(simulation->steer(stroke));
      EXPECT_TRUE(simulation->steer(SetGravity{Vec3(0, 0, -20)}));
      EXPECT_TRUE(simulation->steer(MoveObstacle{"ball", Vec3(0, 0, 0)}));
    }
    if (restarts) simulation = save_and_restore(*simulation, scene, thread_count);
    advance(*simulation, 1);
  }
  return all_values(*simulation);
}

TEST(GasSimulation, steering_replays_to_the_same_bits) {
  for (const int dimensions : {2, 3}) {
    const auto once = steered_run(dimensions, 1, false);
    EXPECT_EQ(once, steered_run(dimensions, 2, false));
    EXPECT_EQ(once, steered_run(dimensions, 1, true));
    const auto unsteered = make_simulation(make_room(dimensions));
    advance(*unsteered, 9);
    EXPECT_NE(once, all_values(*unsteered));
  }
}

// Smoke is painted for as many frames as asked for, and then no more.
// Pressure is kept from step to step, for the rest to be solved for: what a source gives against it
// must not add to it each time.
TEST(GasSimulation, a_source_of_wind_comes_to_a_steady_flow) {
  for (const int dimensions : {2, 3}) {
    scene::Scene scene = make_room(dimensions);
    scene.gravity = Vec3::Zero();
    scene.gas->vorticity_confinement = 0;
    scene.gas->dynamic_viscosity = 0.02;
    scene.gas->sources[0].shape = make_box(Vec3(0, 0, 0.2), Vec3(0.2, 0.6, 0.6));
    scene.gas->sources[0].content.velocity = Vec3(1, 0, 0);
    const auto simulation = make_simulation(scene, 2);
    const auto largest = [&](Field field) {
      double most = 0;
      for (const float value : values_of(*simulation, 0, field))
        most = std::max(most, static_cast<double>(std::abs(value)));
      return most;
    };
    advance(*simulation, 60);
    const double pressure = largest(Field::pressure);
    advance(*simulation, 120);
    EXPECT_LT(largest(Field::pressure), 2 * pressure) << dimensions;
    EXPECT_LT(largest(Field::velocity), 2) << dimensions;
    EXPECT_GT(largest(Field::velocity), 0.5) << dimensions;
  }
}

TEST(GasSimulation, strokes_last_their_frames) {
  scene::Scene scene = make_room();
  scene.gas->sources.clear();
  scene.gas->fading = 1000;  // 6e-8 of each frame's smoke is left.
  const auto simulation = make_simulation(scene);
  StrokeGas stroke{Vec3(0.2, 0.3, 0.2), Vec3(0.8, 0.3, 0.2), 0.1, {}, 3};
  stroke.content.smoke = 1000;
  ASSERT_TRUE(simulation->steer(stroke));
  for (int frame = 0; frame < 5; ++frame) {
    advance(*simulation, 1);
    const double smoke = sum(values_of(*simulation, 0, Field::smoke));
    EXPECT_EQ(smoke > 1e-4, frame < 3) << frame << ' ' << smoke;
  }
}

TEST(GasSimulation, refuses_strokes_that_mean_nothing) {
  const auto simulation = make_simulation(make_room());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  StrokeGas good{Vec3(0.2, 0.3, 0.2), Vec3(0.8, 0.3, 0.2), 0.1, {}, 1};
  good.content.smoke = 1;
  EXPECT_TRUE(simulation->steer(good));
  const auto why_not = [&](const auto& change) {
    StrokeGas stroke = good;
    change(stroke);
    const auto answer = simulation->steer(stroke);
    if (answer) return std::string("taken");
    EXPECT_EQ(answer.error().code, ErrorCode::invalid_scene);
    return answer.error().message;
  };
  using testing::HasSubstr;
  EXPECT_THAT(why_not([&](StrokeGas& s) { s.from.x() = nan; }), HasSubstr("ends"));
  EXPECT_THAT(why_not([&](StrokeGas& s) { s.to.z() = nan; }), HasSubstr("ends"));
  EXPECT_THAT(why_not([&](StrokeGas& s) { s.radius = 0; }), HasSubstr("radius"));
  EXPECT_THAT(why_not([&](StrokeGas& s) { s.radius = nan; }), HasSubstr("radius"));
  EXPECT_THAT(why_not([&](StrokeGas& s) { s.frame_count = 0; }), HasSubstr("1 frame"));
  EXPECT_THAT(why_not([&](StrokeGas& s) { s.content = {}; }), HasSubstr("says nothing"));
  EXPECT_THAT(why_not([&](StrokeGas& s) { s.content.smoke = -1; }), HasSubstr("stroke.smoke"));
  EXPECT_THAT(why_not([&](StrokeGas& s) { s.content.dye = Vec3(1, 1, 1); }),
              HasSubstr("does not have CARRIED_DYE"));
  scene::Scene water;
  water.fluids.push_back({"water", {make_box(Vec3(-0.1, -0.1, -0.1), Vec3(0.1, 0.1, 0.1))}});
  EXPECT_FALSE(make_simulation(water)->steer(good));
}

TEST(GasSimulation, a_gas_that_runs_away_is_named_and_taken_back) {
  const auto simulation = make_simulation(make_room());
  advance(*simulation, 2);
  const auto before = all_values(*simulation);
  ASSERT_TRUE(simulation->steer(PushFluid{Vec3(0.3, 0.3, 0.4), 0.2, Vec3(1e300, 0, 0), 1}));
  const auto statistics = simulation->advance_frame();
  ASSERT_FALSE(statistics);
  EXPECT_EQ(statistics.error().code, ErrorCode::solver_diverged);
  EXPECT_THAT(statistics.error().message,
              testing::AllOf(testing::StartsWith("frame 3"), testing::HasSubstr("\"air\"")));
  EXPECT_EQ(simulation->frame_index(), 2);
  EXPECT_EQ(all_values(*simulation), before);
}

TEST(GasSimulation, a_gas_too_fast_for_its_grid_is_named) {
  scene::Scene scene = make_room(2);
  scene.frame_rate = 1;
  scene.grid.cell_size = 0.01;
  scene.grid.cfl = 0.05;
  scene.gas->velocity = Vec3(0, 0, 900);
  scene.grid.sides[2][0] = scene::Side::open;
  const auto statistics = make_simulation(scene)->advance_frame();
  ASSERT_FALSE(statistics);
  EXPECT_EQ(statistics.error().code, ErrorCode::solver_diverged);
  EXPECT_THAT(statistics.error().message,
              testing::HasSubstr("\"air\" moves too fast for its grid"));
}

TEST(GasSimulation, snapshots_of_other_gases_are_refused) {
  const scene::Scene scene = make_room();
  const auto snapshot = make_simulation(scene)->save();
  const auto is_restored = [&](const scene::Scene& other) {
    return static_cast<bool>(Simulation::restore(other, {1, nullptr}, snapshot));
  };
  EXPECT_TRUE(is_restored(scene));
  const auto is_refused = [&](const auto& change) {
    scene::Scene other = scene;
    change(other);
    return !is_restored(other);
  };
  EXPECT_TRUE(is_refused([](scene::Scene& s) { s.gas->name = "smoke"; }));
  EXPECT_TRUE(is_refused([](scene::Scene& s) { s.gas->density = 1; }));
  EXPECT_TRUE(is_refused([](scene::Scene& s) { s.gas->dynamic_viscosity = 1; }));
  EXPECT_TRUE(is_refused([](scene::Scene& s) { s.gas->ambient_temperature = 1; }));
  EXPECT_TRUE(is_refused([](scene::Scene& s) { s.gas->smoke_density = 1; }));
  EXPECT_TRUE(is_refused([](scene::Scene& s) { s.gas->fading = 1; }));
  EXPECT_TRUE(is_refused([](scene::Scene& s) { s.gas->cooling = 1; }));
  EXPECT_TRUE(is_refused([](scene::Scene& s) { s.gas->vorticity_confinement = 1; }));
  EXPECT_TRUE(is_refused([](scene::Scene& s) { s.gas->velocity.x() = 1; }));
  EXPECT_TRUE(is_refused([](scene::Scene& s) { s.gas->advection = scene::Advection::maccormack; }));
  EXPECT_TRUE(is_refused([](scene::Scene& s) { std::swap(s.gas->carries[0], s.gas->carries[1]); }));
  EXPECT_TRUE(is_refused([](scene::Scene& s) { s.gas->sources[0].content.smoke = 2; }));
  EXPECT_TRUE(is_refused([](scene::Scene& s) { s.gas->sources[0].content.temperature.reset(); }));
  EXPECT_TRUE(is_refused([](scene::Scene& s) { s.gas->sources[0].open.stop = 2; }));
  EXPECT_TRUE(is_refused([](scene::Scene& s) {
    s.gas->regions.push_back({s.gas->sources[0].shape, s.gas->sources[0].content});
  }));
  EXPECT_TRUE(is_refused([](scene::Scene& s) { s.grid.side_velocities[0][0].velocity.x() = 1; }));
  EXPECT_TRUE(is_refused([](scene::Scene& s) { s.grid.dimensions = 2; }));
}

}  // namespace
}  // namespace sluice::gas_test
