// SPDX-License-Identifier: Apache-2.0
// Newton-IPC through the one door, with what a scene can have. Oracles: the certificate, Coulomb's
// law, equal and opposite impulses, and the same run made another way, bit by bit.
#include <gtest/gtest.h>

#include <algorithm>

#include "solver/certificate/crossing_certificate.h"
#include "solver/coupling/newton_ipc.h"
#include "solver/fluid/mpm/mpm_fluid.h"
#include "tests/unit/solver/geometry/closed_meshes.h"
#include "tests/unit/solver/simulation_scenes.h"

namespace sluice::newton_motion_test {
namespace {

using test::advance;
using test::all_values;
using test::make_box;
using test::make_pin;
using test::make_sheet;
using test::make_simulation;
using test::positions;

scene::Scene make_room() {
  scene::Scene scene;
  scene.domain_lower = Vec3::Constant(-0.1);
  scene.domain_upper = Vec3::Constant(0.1);
  scene.grid.cell_size = 0.01;
  scene.coupling.method = scene::CouplingMethod::newton_ipc;
  scene.coupling.contact_distance = 1e-3;
  return scene;
}

// Water on a sheet that fills a room, held at the walls.
scene::Scene make_tank(const Vec3& velocity) {
  scene::Scene scene = make_room();
  scene.cloths.push_back(make_sheet(11, 11, 0.0199, Vec3::Zero()));
  scene.cloths[0].structural_stiffness = 500;
  scene.cloths[0].pins.push_back(make_pin(test::rim(11, 11)));
  scene.fluids.push_back({"water", {make_box(Vec3(-0.04, -0.04, 0.01), Vec3(0.04, 0.04, 0.03))}});
  scene.fluids[0].velocity = velocity;
  return scene;
}

TEST(NewtonMotion, lets_no_water_through_a_sheet) {
  scene::Scene scene = make_tank(Vec3(0, 0, -3));
  scene.output.fields = {Field::contact_force};
  certificate::CrossingCertificate certificate;
  const auto simulation = make_simulation(scene, 2, &certificate);
  std::int64_t contacts = 0;
  float most = 0;
  for (int frame = 0; frame < 2; ++frame) {
    const auto statistics = simulation->advance_frame();
    ASSERT_TRUE(statistics) << statistics.error().message;
    contacts = std::max(contacts, statistics.value().contact_count);
    EXPECT_GT(statistics.value().smallest_gap, 0);
    EXPECT_LE(statistics.value().residual, scene.coupling.tolerance);
    for (const float force : test::values_of(*simulation, 1, Field::contact_force))
      most = std::max(most, force);
  }
  EXPECT_EQ(certificate.crossing_count(), 0);
  EXPECT_EQ(certificate.jump_count(), 0);
  EXPECT_GT(contacts, 100);
  EXPECT_GT(most, 1e-3);  // [N] The water weighs 1.3 N, over 81 vertices.
}

TEST(NewtonMotion, gives_the_same_bits_for_any_thread_count_and_after_a_restore) {
  const scene::Scene scene = make_tank(Vec3(0.2, 0, -1));
  const auto once = make_simulation(scene, 1);
  advance(*once, 2);
  auto other = make_simulation(scene, 2);
  advance(*other, 1);
  other = test::save_and_restore(*other, scene, 2);
  advance(*other, 1);
  EXPECT_EQ(all_values(*once), all_values(*other));
}

TEST(NewtonMotion, exchanges_momentum_equally) {
  scene::Scene scene = make_tank(Vec3(0.3, 0, -2));
  scene.fluids[0].regions[0].translation.z() -= 0.006;
  solid::DeformableSystem solids = solid::make_deformable_system(scene);
  fluid::MpmFluid water(scene);
  coupling::NewtonIpc method(scene, solids);
  double exchanged = 0;
  for (int step = 0; step < 15; ++step) {
    const auto report = method.step(4e-4, {}, solids, &water);
    ASSERT_TRUE(report) << report.error().message;
    const Vec3 &given = report.value().fluid_impulse, &taken = report.value().solid_impulse;
    EXPECT_LE((given + taken).norm(), 1e-12 * given.norm() + 1e-14);
    exchanged += given.norm();
  }
  EXPECT_GT(exchanged, 3e-3);  // [N s] Of 0.26 that the water brings.
}

// A cube on a tray that starts to move at 0.05 m/s: Coulomb's law takes it along after 10 ms, or
// not at all.
TEST(NewtonMotion, takes_along_what_lies_on_a_scripted_body_by_friction) {
  for (const double friction : {0.0, 0.5}) {
    scene::Scene scene = make_room();
    scene::RigidBody tray;
    tray.name = "tray";
    tray.mesh = geometry::make_box({-0.08, -0.05, -0.02}, {0.06, 0.05, -0.01});
    tray.friction = friction;
    tray.script = {{.time = 1, .offset = Vec3(0.05, 0, 0)}};
    scene.rigid_bodies.push_back(tray);
    scene.soft_bodies.push_back(
        test::make_block(Vec3(-0.02, -0.02, -0.009), Vec3(0.02, 0.02, 0.031), 0.02, 1e5));
    certificate::CrossingCertificate certificate;
    const auto simulation = make_simulation(scene, 1, &certificate);
    const auto mean = [&] {
      Vec3 sum = Vec3::Zero();
      const std::vector<Vec3> places = positions(*simulation, 0);
      for (const Vec3& x : places)
        sum += x / static_cast<double>(places.size());
      return sum;
    };
    advance(*simulation, 6);
    const double before = mean().x();
    advance(*simulation, 12);
    // A body that sticks creeps at a thousandth of a metre a second at most.
    EXPECT_NEAR((mean().x() - before) / 0.2, friction > 0 ? 0.05 : 0, 2e-3) << friction;
    EXPECT_GT(mean().z(), 0.009);  // It lies on the tray.
    EXPECT_EQ(certificate.crossing_count(), 0);
  }
}

// Two sheets, held in part, are driven through each other with water between: nothing can be right
// but that nothing crosses.
TEST(NewtonMotion, lets_nothing_through_where_there_is_no_way_out) {
  scene::Scene scene = make_room();
  scene.gravity.setZero();
  scene.fluids.push_back(
      {"water", {make_box(Vec3(-0.02, -0.02, -0.005), Vec3(0.02, 0.02, 0.005))}});
  for (const double side : {-1.0, 1.0}) {
    scene::Cloth cloth = make_sheet(6, 6, 0.018, Vec3(0, 0, 0.008 * side));
    cloth.name = side < 0 ? "lower" : "upper";
    scene::Pin pin{"pin", {}, Vec3(0, 0, -side)};
    for (std::int32_t v = 0; v < 36; v += 2)
      pin.vertices.push_back(v);
    cloth.pins.push_back(pin);
    scene.cloths.push_back(cloth);
  }
  certificate::CrossingCertificate certificate;
  const auto simulation = make_simulation(scene, 1, &certificate);
  const auto statistics = simulation->advance_frame();
  EXPECT_TRUE(statistics) << statistics.error().message;
  EXPECT_EQ(certificate.crossing_count(), 0);
}

}  // namespace
}  // namespace sluice::newton_motion_test
