// SPDX-License-Identifier: Apache-2.0
// Emitters, drains and open sides among solids, and what frames tell of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "solver/certificate/crossing_certificate.h"
#include "tests/unit/solver/simulation_scenes.h"

namespace sluice::source_test {
namespace {

using test::all_values;
using test::make_box;
using test::make_pin;
using test::make_sheet;
using test::make_simulation;
using test::positions;
using test::rim;
using test::save_and_restore;
using test::values_of;

// A tap over a sheet that is held on its rim; what runs over it falls out of the domain.
scene::Scene make_tap() {
  scene::Scene scene;
  scene.domain_lower = Vec3(-0.2, -0.2, 0);
  scene.domain_upper = Vec3(0.2, 0.2, 0.4);
  scene.grid.cell_size = 0.02;
  scene.grid.sides[2][0] = scene::Side::open;
  scene::Fluid water;
  water.name = "water";
  scene::Emitter tap;
  tap.name = "tap";
  tap.shape = make_box(Vec3(0.02, -0.03, 0.28), Vec3(0.08, 0.03, 0.34));
  tap.velocity = Vec3(0, 0, -1.5);
  water.emitters = {tap};
  scene.fluids = {water};
  scene::Cloth sheet = make_sheet(12, 12, 0.018, Vec3(0, 0, 0.15));
  sheet.area_density = 1;
  sheet.structural_stiffness = 2000;
  sheet.shear_stiffness = 500;
  sheet.pins = {make_pin(rim(12, 12))};
  scene.cloths = {sheet};
  scene.output.fields = {Field::contact_force};
  scene.coupling.contact_distance = 0.002;
  return scene;
}

struct Total {
  std::int64_t emitted = 0, removed = 0;
};

Total advance(Simulation& simulation, int frame_count) {
  Total total;
  for (int i = 0; i < frame_count; ++i) {
    const auto statistics = simulation.advance_frame();
    EXPECT_TRUE(statistics) << statistics.error().message;
    if (!statistics) break;
    total.emitted += statistics.value().emitted_count;
    total.removed += statistics.value().removed_count;
    EXPECT_EQ(statistics.value().particle_count, simulation.layout()[0].count);
  }
  return total;
}

TEST(Source, frames_follow_the_particles_that_there_are) {
  certificate::CrossingCertificate certificate;
  const auto simulation = make_simulation(make_tap(), 2, &certificate);
  EXPECT_EQ(simulation->layout()[0].count, 0);
  EXPECT_EQ(simulation->epoch(), 0);
  Total total;
  std::map<std::uint32_t, Vec3> before;
  std::int64_t epoch = 0;
  bool has_ids = false, has_force = false;
  for (int frame = 0; frame < 50; ++frame) {
    const Total more = advance(*simulation, 1);
    total.emitted += more.emitted;
    total.removed += more.removed;
    epoch += more.emitted + more.removed > 0 ? 1 : 0;
    EXPECT_EQ(simulation->epoch(), epoch);
    const BodyLayout& layout = simulation->layout()[0];
    EXPECT_EQ(layout.count, total.emitted - total.removed);
    EXPECT_TRUE(layout.ids.empty() || layout.ids.size() == static_cast<std::size_t>(layout.count));
    EXPECT_TRUE(std::is_sorted(layout.ids.begin(), layout.ids.end()));
    has_ids |= !layout.ids.empty();
    const std::vector<Vec3> x = positions(*simulation, 0);
    ASSERT_EQ(x.size(), static_cast<std::size_t>(layout.count));
    const std::vector<float> forces = values_of(*simulation, 0, Field::contact_force);
    ASSERT_EQ(forces.size(), x.size());
    std::map<std::uint32_t, Vec3> now;
    for (std::size_t row = 0; row < x.size(); ++row) {
      const std::uint32_t id =
          layout.ids.empty() ? static_cast<std::uint32_t>(row) : layout.ids[row];
      now[id] = x[row];
      has_force |= forces[row] > 0;
      // Forces stay with their particles: only near the sheet is there any.
      if (forces[row] > 0) {
        EXPECT_LT(std::abs(x[row].z() - 0.15), 0.06);
      }
    }
    for (const auto& [id, place] : now) {  // 4 m/s at most, in a sixtieth of a second.
      const auto found = before.find(id);
      if (found != before.end()) {
        EXPECT_LT((place - found->second).norm(), 4.0 / 60) << id;
      }
    }
    before = std::move(now);
    EXPECT_EQ(values_of(*simulation, 1, Field::position).size(), 3 * 144U);
  }
  EXPECT_GT(total.removed, 500) << "runs over";
  EXPECT_TRUE(has_ids);
  EXPECT_TRUE(has_force);
  const certificate::Findings found = certificate.take_frame();
  EXPECT_GT(found.substep_count, 50);
  EXPECT_EQ(found.crossing_count, 0);
  EXPECT_EQ(found.jump_count, 0) << "only what is told comes in and goes out";
}

TEST(Source, gives_the_same_bits_after_a_restore_and_on_two_threads) {
  const scene::Scene scene = make_tap();
  const auto one = make_simulation(scene, 1), two = make_simulation(scene, 2);
  advance(*one, 30);
  advance(*two, 30);
  EXPECT_EQ(all_values(*one), all_values(*two));
  const auto restored = save_and_restore(*one, scene, 2);
  EXPECT_EQ(restored->epoch(), one->epoch());
  EXPECT_EQ(restored->layout()[0].ids, one->layout()[0].ids);
  EXPECT_EQ(all_values(*restored), all_values(*one));
  advance(*one, 15);
  advance(*restored, 15);
  EXPECT_EQ(all_values(*restored), all_values(*one));
  EXPECT_EQ(restored->epoch(), one->epoch());
}

TEST(Source, a_solid_in_the_mouth_of_an_emitter_keeps_it_shut) {
  scene::Scene scene = make_tap();
  scene.cloths.clear();
  scene.output = {};
  scene::SoftBody block =
      test::make_block(Vec3(-0.05, -0.1, 0.2), Vec3(0.15, 0.1, 0.38), 0.05, 1e6);
  block.gravity_scale = 0;
  scene.soft_bodies = {block};
  const auto inside = make_simulation(scene);
  EXPECT_EQ(advance(*inside, 10).emitted, 0);

  scene.soft_bodies = {test::make_block(Vec3(0.05, -0.1, 0.2), Vec3(0.15, 0.1, 0.38), 0.05, 1e6)};
  scene.soft_bodies[0].gravity_scale = 0;
  const auto half = make_simulation(scene);
  const std::int64_t through_half = advance(*half, 10).emitted;
  EXPECT_GT(through_half, 300);
  scene.soft_bodies.clear();
  EXPECT_LT(through_half, 0.6 * static_cast<double>(advance(*make_simulation(scene), 10).emitted));
}

TEST(Source, people_open_and_shut_emitters) {
  const auto simulation = make_simulation(make_tap());
  EXPECT_FALSE(simulation->steer(SetEmitter{"water", "hose", true, std::nullopt}));
  EXPECT_FALSE(simulation->steer(SetEmitter{"sheet", "tap", true, std::nullopt}));
  EXPECT_FALSE(simulation->steer(SetEmitter{"water", "tap", true, Vec3::Zero()}));
  ASSERT_TRUE(simulation->steer(SetEmitter{"water", "tap", false, std::nullopt}));
  EXPECT_EQ(advance(*simulation, 5).emitted, 0);
  EXPECT_EQ(simulation->epoch(), 0);
  ASSERT_TRUE(simulation->steer(SetEmitter{"water", "tap", true, Vec3(0, 0, -3)}));
  const auto restored = save_and_restore(*simulation, make_tap(), 1);
  const std::int64_t emitted = advance(*simulation, 6).emitted;
  EXPECT_NEAR(static_cast<double>(emitted), 0.06 * 0.06 * 3 * 0.1 / 1e-6, 36);
  EXPECT_EQ(advance(*restored, 6).emitted, emitted);
}

}  // namespace
}  // namespace sluice::source_test
