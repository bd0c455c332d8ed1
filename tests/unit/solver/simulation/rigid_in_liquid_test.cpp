// SPDX-License-Identifier: Apache-2.0
// Rigid bodies that incompressible liquid moves, as a whole simulation has them. How well they
// follow theory is for tests/validation/coupling/variational_rigid_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>

#include "solver/certificate/crossing_certificate.h"
#include "tests/unit/solver/geometry/closed_meshes.h"
#include "tests/unit/solver/simulation_scenes.h"

namespace sluice::rigid_in_liquid_test {
namespace {

using test::advance;
using test::all_values;
using test::make_simulation;
using test::middle;
using test::positions;

scene::RigidBody thing(const char* name, geometry::TriangleMesh mesh, double density,
                       const Vec3& place) {
  scene::RigidBody body;
  body.name = name;
  body.mesh = std::move(mesh);
  body.density = density;
  for (Vec3& x : body.mesh.vertices)
    x += place;
  return body;
}

/// A ring that rises, a brick that sinks and turns, and a paddle that stirs.
scene::Scene stirred_tank() {
  scene::Scene scene;
  scene.domain_lower = Vec3(-0.3, -0.2, 0);
  scene.domain_upper = Vec3(0.3, 0.2, 0.5);
  scene.grid.cell_size = 0.025;
  scene.grid.solver = scene::FluidSolver::incompressible;
  scene.grid.cfl = 2;
  scene.coupling.method = scene::CouplingMethod::variational_rigid;
  scene.coupling.contact_distance = 2.5e-3;
  scene.coupling.max_substep = 1.0 / 60;
  scene.fluids.push_back({"water", {test::make_box(Vec3(-0.3, -0.2, 0), Vec3(0.3, 0.2, 0.3))}});
  scene.fluids[0].dynamic_viscosity = 0;
  scene.rigid_bodies = {
      thing("ring", geometry::make_torus(16, 0.07, 0.03), 200, Vec3(-0.15, 0, 0.1)),
      thing("brick", geometry::make_box({-0.05, -0.04, -0.03}, {0.05, 0.04, 0.03}), 2500,
            Vec3(0.02, 0, 0.2)),
      thing("paddle", geometry::make_box({-0.01, -0.08, -0.08}, {0.01, 0.08, 0.08}), 1000,
            Vec3(0.18, 0, 0.2))};
  scene.rigid_bodies[1].angular_velocity = Vec3(0, 8, 3);
  scene.rigid_bodies[2].script = {
      {.time = 0.5, .rotation = Eigen::Quaterniond(Eigen::AngleAxisd(2, Vec3::UnitZ()))}};
  return scene;
}

// Also where they meet each other, the walls and the surface: no particle goes into any of them,
// and the step filter stops hardly any.
TEST(RigidInLiquid, let_nothing_through) {
  certificate::CrossingCertificate certificate;
  const auto simulation = make_simulation(stirred_tank(), 2, &certificate);
  const std::size_t particles = positions(*simulation, 0).size();
  std::int64_t stopped = 0, held = 0;
  for (int frame = 0; frame < 60; ++frame) {
    const auto statistics = simulation->advance_frame();
    ASSERT_TRUE(statistics) << statistics.error().message;
    stopped += statistics.value().stopped_count;
    held += statistics.value().contact_count;
    EXPECT_GT(statistics.value().smallest_gap, 0);
    EXPECT_GT(statistics.value().pressure_iteration_count, 0);
  }
  EXPECT_EQ(certificate.crossing_count(), 0);
  EXPECT_EQ(certificate.jump_count(), 0);
  EXPECT_GT(held, 1000);
  EXPECT_LT(stopped, held / 100);
  EXPECT_EQ(positions(*simulation, 0).size(), particles);
  EXPECT_GT(middle(*simulation, 1).z(), 0.2) << "a ring that is light comes up";
  EXPECT_LT(middle(*simulation, 2).z(), 0.1) << "a brick goes down";
}

TEST(RigidInLiquid, are_the_same_bits_on_two_threads_and_after_a_restore) {
  const auto one = make_simulation(stirred_tank(), 1);
  advance(*one, 12);
  const auto restored = test::save_and_restore(*one, stirred_tank(), 1);
  advance(*one, 8);
  advance(*restored, 8);
  const auto values = all_values(*one);
  EXPECT_EQ(all_values(*restored), values);
  const auto two = make_simulation(stirred_tank(), 2);
  advance(*two, 20);
  EXPECT_EQ(all_values(*two), values);
}

/// A log, a wheel and a brick in a wave, and a paddle, in two dimensions: as deep as the domain.
scene::Scene flat_tank() {
  scene::Scene scene = stirred_tank();
  scene.grid.dimensions = 2;
  scene.fluids[0].regions.push_back(test::make_box(Vec3(-0.3, -0.2, 0.3), Vec3(-0.15, 0.2, 0.45)));
  scene.obstacles.resize(1);
  scene.obstacles[0].name = "post";
  scene.obstacles[0].shape = test::make_box(Vec3(0.05, -0.2, 0), Vec3(0.1, 0.2, 0.12));
  const auto bar = [](double half_x, double half_z) {
    return geometry::make_box({-half_x, -0.2, -half_z}, {half_x, 0.2, half_z});
  };
  scene.rigid_bodies = {thing("log", bar(0.04, 0.03), 300, Vec3(-0.05, 0, 0.28)),
                        thing("brick", bar(0.03, 0.03), 2500, Vec3(-0.05, 0, 0.2)),
                        thing("float", bar(0.05, 0.02), 500, Vec3(0.07, 0, 0.36)),
                        thing("paddle", bar(0.01, 0.06), 1000, Vec3(0.2, 0, 0.2))};
  scene.rigid_bodies[0].angular_velocity = Vec3(0, 3, 0);
  scene.rigid_bodies[3].script = {
      {.time = 1, .rotation = Eigen::Quaterniond(Eigen::AngleAxisd(2, Vec3::UnitY()))}};
  return scene;
}

TEST(RigidInFlatLiquid, lets_nothing_through_and_stays_in_the_plane) {
  certificate::CrossingCertificate certificate;
  const scene::Scene scene = flat_tank();
  const auto simulation = make_simulation(scene, 2, &certificate);
  std::int64_t held = 0;
  for (int frame = 0; frame < 90; ++frame) {
    const auto statistics = simulation->advance_frame();
    ASSERT_TRUE(statistics) << statistics.error().message;
    held += statistics.value().contact_count;
    for (const Vec3& x : positions(*simulation, 0))
      ASSERT_EQ(x.y(), 0);
    for (std::size_t body = 0; body < 4; ++body) {
      const std::vector<Vec3> now = positions(*simulation, body + 1);
      for (std::size_t v = 0; v < now.size(); ++v)
        ASSERT_NEAR(now[v].y(), scene.rigid_bodies[body].mesh.vertices[v].y(), 1e-6);
    }
  }
  EXPECT_EQ(certificate.crossing_count(), 0);
  EXPECT_EQ(certificate.jump_count(), 0);
  EXPECT_GT(held, 100);
  EXPECT_GT(middle(*simulation, 1).z(), 0.25) << "a log floats";
  EXPECT_LT(middle(*simulation, 2).z(), 0.1) << "a brick sinks";
}

// Between two liquids, as dense as the mean of both, half of it in each.
TEST(RigidInFlatLiquid, floats_between_two_liquids) {
  constexpr double level = 0.2;
  scene::Scene scene = flat_tank();
  scene.obstacles.clear();
  scene.fluids[0].regions = {test::make_box({-1, -1, 0}, {1, 1, level})};
  scene.fluids.push_back(scene.fluids[0]);
  scene.fluids[1].name = "oil";
  scene.fluids[1].density = 0.6 * scene.fluids[0].density;
  scene.fluids[1].regions = {test::make_box({-1, -1, level}, {1, 1, 2 * level})};
  scene.rigid_bodies = {thing("raft", geometry::make_box({-0.1, -0.2, -0.04}, {0.1, 0.2, 0.04}),
                              0.8 * scene.fluids[0].density, Vec3(0, 0, level + 0.01))};
  const auto simulation = make_simulation(scene, 2);
  double mean = 0;
  for (int frame = 0; frame < 180; ++frame) {
    advance(*simulation, 1);
    const double z = middle(*simulation, 2).z();
    mean += z / 180;
    ASSERT_NEAR(z, level, 0.011);  // It swings.
  }
  EXPECT_NEAR(mean, level, 0.003);
}

TEST(RigidInFlatLiquid, refuses_what_leads_out_of_the_plane) {
  const auto simulation = make_simulation(flat_tank(), 1);
  const auto refused = simulation->steer(SetGravity{Vec3(0, 1, -9.81)});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "gravity has 1 along y; in two dimensions nothing moves there");
  EXPECT_TRUE(simulation->steer(SetGravity{Vec3(1, 0, -9.81)}));
}

TEST(RigidInFlatLiquid, is_the_same_bits_on_two_threads_and_after_a_restore) {
  const auto one = make_simulation(flat_tank(), 1);
  advance(*one, 12);
  const auto restored = test::save_and_restore(*one, flat_tank(), 1);
  advance(*one, 8);
  advance(*restored, 8);
  const auto values = all_values(*one);
  EXPECT_EQ(all_values(*restored), values);
  const auto two = make_simulation(flat_tank(), 2);
  advance(*two, 20);
  EXPECT_EQ(all_values(*two), values);
}

// The force that is expected of contact keeps liquid still around a brick on the floor, from frame
// to frame: without it, the brick would press water out from under it in each.
TEST(RigidInLiquid, what_lies_on_the_floor_does_not_stir) {
  scene::Scene scene = stirred_tank();
  scene.rigid_bodies = {thing("brick", geometry::make_box({-0.1, -0.08, 0}, {0.1, 0.08, 0.1}), 2500,
                              Vec3(0, 0, 0.0026))};
  const auto simulation = make_simulation(scene, 2);
  advance(*simulation, 60);
  const auto statistics = simulation->advance_frame();
  ASSERT_TRUE(statistics);
  const double water = 0.6 * 0.4 * 0.3 * 1000;  // [kg]
  EXPECT_LT(statistics.value().kinetic_energy, 0.5 * water * 0.01 * 0.01);
  EXPECT_NEAR(middle(*simulation, 1).z(), 0.0525, 5e-4);
}

// From rest and without weight, so that all of its energy comes from the hand.
TEST(RigidInLiquid, follow_a_drag) {
  scene::Scene scene = stirred_tank();
  scene.gravity.setZero();
  scene.rigid_bodies = {thing("buoy", geometry::make_sphere(8, 0.06), 400, Vec3(-0.1, 0, 0.15))};
  const auto simulation = make_simulation(scene, 2);
  const Vec3 start = middle(*simulation, 1);
  ASSERT_TRUE(simulation->steer(DragBody{"buoy", start, start + Vec3(0.15, 0, 0), 0.07, 2, 60}));
  advance(*simulation, 60);
  EXPECT_GT(middle(*simulation, 1).x(), start.x() + 0.05);
}

// [m/s]
class FastestParticle final : public SubstepObserver {
 public:
  void on_substep(const SubstepStates& states) override {
    for (std::size_t i = 0; i < states.particles_t0.size(); ++i) {
      const Vec3f way = states.particles_t1[i] - states.particles_t0[i];
      value = std::max(value, static_cast<double>(way.norm()) / states.duration);
    }
  }
  double value = 0;
};

/// A liquid without viscosity that fills a tank from the origin to `size` up to `level`.
scene::Scene small_tank(const Vec3& size, double level) {
  scene::Scene scene;
  scene.domain_lower = Vec3::Zero();
  scene.domain_upper = size;
  scene.grid.cell_size = 0.1;
  scene.grid.solver = scene::FluidSolver::incompressible;
  scene.coupling.method = scene::CouplingMethod::variational_rigid;
  scene.coupling.contact_distance = 0.002;
  scene.coupling.max_substep = 0.1;
  scene.frame_rate = 20;
  scene.fluids.push_back(
      {"water", {test::make_box(Vec3::Zero(), Vec3(size.x(), size.y(), level))}});
  scene.fluids[0].dynamic_viscosity = 0;
  return scene;
}

/// A press that goes down at 1 m/s, and is told to go through the floor.
scene::Scene pressed_on_the_floor(double cfl) {
  scene::Scene scene = small_tank({0.8, 0.8, 0.8}, 0.6);
  scene.grid.dimensions = 2;
  scene.grid.cfl = cfl;
  scene.grid.transfer = scene::Transfer::pic;
  scene.gravity = Vec3(0, 0, -10);
  scene.rigid_bodies = {thing("press", geometry::make_box({-0.2, -0.4, -0.1}, {0.2, 0.4, 0.1}),
                              1000, Vec3(0.4, 0.4, 0.3))};
  scene.rigid_bodies[0].script = {{.time = 0.4, .offset = Vec3(0, 0, -0.4)}};
  return scene;
}

// The press lags behind by up to 0.2 m, which it would make good in any substep: at 1e5 m/s, and
// the water with it.
TEST(RigidInFlatLiquid, presses_water_out_no_faster_than_it_is_told_to_go) {
  FastestParticle fastest;
  const auto simulation = make_simulation(pressed_on_the_floor(1), 1, &fastest);
  advance(*simulation, 16);
  EXPECT_LT(fastest.value, 10);
  EXPECT_NEAR(middle(*simulation, 1).z(), 0.1, 0.03);
}

// The step filter stops particles under it that evening out moves by up to a quarter of a cell,
// which is more than they could go in a substep: as a speed, it would be 4 times theirs in each.
TEST(RigidInFlatLiquid, stops_no_particle_beyond_standing_still) {
  FastestParticle fastest;
  const auto simulation = make_simulation(pressed_on_the_floor(0.06), 1, &fastest);
  advance(*simulation, 8);
  EXPECT_LT(fastest.value, 30);
}

/// A stick, 5000 times lighter than the liquid, which stops at once at the walls.
scene::Scene thrown_stick() {
  scene::Scene scene = small_tank({1.2, 0.6, 0.6}, 0.5);
  scene.gravity.setZero();
  scene.grid.cfl = 2;
  scene.fluids[0].density = 10'000;
  scene.fluids[0].velocity = Vec3(5, 1, 0);
  scene::RigidBody stick = thing(
      "stick", geometry::make_box({-0.05, -0.05, -0.25}, {0.05, 0.05, 0.25}), 2, Vec3::Zero());
  const Mat3 turn = Eigen::AngleAxisd(1.2, Vec3(0.3, 1, 0).normalized()).toRotationMatrix();
  for (Vec3& x : stick.mesh.vertices)
    x = turn * x + Vec3(0.5, 0.3, 0.3);
  scene.rigid_bodies = {stick};
  return scene;
}

// It is right that it goes 4 times as fast as the liquid went. In one long substep it would turn
// by radians, and sweep up liquid that it never met: 1e6 m/s after the third frame.
TEST(RigidInLiquid, throw_up_what_is_light_and_not_themselves) {
  FastestParticle fastest;
  const auto simulation = make_simulation(thrown_stick(), 1, &fastest);
  advance(*simulation, 5);
  EXPECT_LT(fastest.value, 40);
}

}  // namespace
}  // namespace sluice::rigid_in_liquid_test
