// SPDX-License-Identifier: Apache-2.0
// Rigid bodies through the one door. Oracles: free fall and free rotation, Coulomb's law on an
// incline, scripts, conservation of momenta, weights, the certificate, and the same run made
// another way, bit by bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "solver/certificate/crossing_certificate.h"
#include "solver/geometry/deepest_point.h"
#include "solver/geometry/tessellate_shape.h"
#include "tests/unit/solver/geometry/closed_meshes.h"
#include "tests/unit/solver/simulation_scenes.h"

namespace sluice::rigid_body_test {
namespace {

using test::advance;
using test::make_simulation;
using test::positions;

constexpr double gravity = 9.81;

scene::Scene make_room() {
  scene::Scene scene;
  scene.coupling.contact_distance = 2e-3;
  scene.domain_lower = Vec3(-0.5, -0.5, 0);
  scene.domain_upper = Vec3(0.5, 0.5, 1);
  return scene;
}

scene::RigidBody make_brick(const Vec3& lower, const Vec3& upper) {
  scene::RigidBody body;
  body.name = "brick";
  body.mesh = geometry::make_box(lower, upper);
  return body;
}

Vec3 mean(const std::vector<Vec3>& points) {
  Vec3 sum = Vec3::Zero();
  for (const Vec3& point : points)
    sum += point;
  return sum / static_cast<double>(points.size());
}

TEST(RigidBody, falls_freely_and_spins_without_loss) {
  scene::Scene scene = make_room();
  scene.domain_lower.z() = -10;
  scene.rigid_bodies = {make_brick({-0.05, -0.1, 0.6}, {0.05, 0.1, 0.9})};
  scene.rigid_bodies[0].velocity = Vec3(0.1, 0, 0.5);
  scene.rigid_bodies[0].angular_velocity =
      Vec3(0.1, 20, 0.1);  // About the middle axis: it tumbles.
  scene.coupling.max_substep = 1e-3;
  const auto simulation = make_simulation(scene);
  EXPECT_EQ(simulation->layout().at(0).kind, BodyKind::surface);
  EXPECT_EQ(simulation->layout().at(0).triangles, scene.rigid_bodies[0].mesh.triangles);
  const double mass = 0.1 * 0.2 * 0.3 * 1000;
  const Vec3 moments = mass / 12 * Vec3(0.04 + 0.09, 0.01 + 0.09, 0.01 + 0.04);
  const Vec3 spin = scene.rigid_bodies[0].angular_velocity;
  const double spin_energy = 0.5 * spin.dot(moments.cwiseProduct(spin));
  bool has_tumbled = false;
  for (int frame = 1; frame <= 60; ++frame) {
    const auto statistics = simulation->advance_frame();
    ASSERT_TRUE(statistics) << statistics.error().message;
    const double t = simulation->time();
    const Vec3 velocity(0.1, 0, 0.5 - gravity * t);
    EXPECT_LT((statistics.value().momentum - mass * velocity).norm(), 1e-10 * mass * gravity);
    const double energy = 0.5 * mass * velocity.squaredNorm() + spin_energy;
    EXPECT_NEAR(statistics.value().kinetic_energy, energy, 1e-8 * energy);
    // Implicit Euler falls by g t (t + h) / 2.
    const double h = 1.0 / 60 / 17;
    const Vec3 middle(0.1 * t, 0, 0.75 + 0.5 * t - gravity * t * (t + h) / 2);
    const auto now = positions(*simulation, 0);
    EXPECT_LT((mean(now) - middle).norm(), 1e-6);  // Frames are in float.
    has_tumbled |= (now[2] - now[0]).y() < 0;
    EXPECT_NEAR((now[7] - now[0]).norm(), Vec3(0.1, 0.2, 0.3).norm(), 1e-6);
  }
  EXPECT_TRUE(has_tumbled);
}

TEST(RigidBody, comes_to_rest_at_the_floors_gap_and_stays) {
  scene::Scene scene = make_room();
  scene.rigid_bodies = {make_brick({-0.1, -0.1, 0.1}, {0.1, 0.1, 0.2})};
  for (Vec3& x : scene.rigid_bodies[0].mesh.vertices)  // On an edge, and twisted.
    x = Vec3(0, 0, 0.3) +
        Eigen::AngleAxisd(0.5, Vec3(1, 0.3, 0).normalized()) * (x - Vec3(0, 0, 0.15));
  const auto simulation = make_simulation(scene);
  double energy = 1e30;
  for (int frame = 0; frame < 90; ++frame) {
    const auto statistics = simulation->advance_frame();
    ASSERT_TRUE(statistics) << statistics.error().message;
    const double now = statistics.value().kinetic_energy + statistics.value().potential_energy;
    // 4 kg at 0.3 m: 12 J. Walls take energy; nothing gives any.
    EXPECT_LT(now, energy + 1e-3) << "frame " << frame;
    energy = std::min(energy, now);
  }
  const auto at_rest = positions(*simulation, 0);
  double lowest = 1;
  for (const Vec3& x : at_rest)
    lowest = std::min(lowest, x.z());
  EXPECT_NEAR(lowest, scene.coupling.contact_distance, 1e-5);
  EXPECT_NEAR(mean(at_rest).z(), scene.coupling.contact_distance + 0.05, 1e-5);
  double kinetic = 0;
  for (int frame = 0; frame < 60; ++frame)
    kinetic = std::max(kinetic, simulation->advance_frame().value().kinetic_energy);
  EXPECT_LT(kinetic, 1e-9);
  const auto later = positions(*simulation, 0);
  for (std::size_t i = 0; i < later.size(); ++i)
    EXPECT_LT((later[i] - at_rest[i]).norm(), 1e-6);
}

TEST(RigidBody, a_plank_lies_on_what_is_smaller_than_its_triangles) {
  scene::Scene scene = make_room();
  const double gap = scene.coupling.contact_distance;
  scene.rigid_bodies = {make_brick({-0.4, -0.3, 0.33}, {0.4, 0.3, 0.37})};
  // None of the plank's eight vertices comes near.
  const std::vector<geometry::Shape> supports{
      test::make_box({-0.1, -0.12, 0.1}, {0.14, 0.1, 0.3}),
      {geometry::Cylinder{0.12, 0.1}, {0.02, 0.01, 0.2}, Mat3::Identity()}};
  for (const geometry::Shape& support : supports) {
    scene.obstacles = {{"support", support}};
    const auto simulation = make_simulation(scene);
    advance(*simulation, 90);
    for (const Vec3& x : positions(*simulation, 0))
      EXPECT_NEAR(std::abs(x.z() - (0.3 + gap + 0.02)), 0.02, 1e-4);
    EXPECT_LT(simulation->advance_frame().value().kinetic_energy, 1e-9);
  }
  // A ball holds it up until it tips over, and is never inside it.
  const geometry::Shape ball{geometry::Sphere{0.1}, {0.03, 0.02, 0.2}, Mat3::Identity()};
  scene.obstacles = {{"ball", ball}};
  const auto simulation = make_simulation(scene);
  for (int frame = 0; frame < 60; ++frame) {
    advance(*simulation, 1);
    const auto now = positions(*simulation, 0);
    for (const TriangleIndices& t : scene.rigid_bodies[0].mesh.triangles) {
      const auto at = [&](std::size_t k) { return now[static_cast<std::size_t>(t[k])]; };
      EXPECT_GT(geometry::deepest_point(ball, {at(0), at(1), at(2)}).distance, 0.5 * gap);
    }
  }
}

/// A brick flat on a slope of `angle`, with the root of both coefficients as friction.
scene::Scene make_slope(double angle, double friction) {
  scene::Scene scene = make_room();
  scene.domain_lower = Vec3(-20, -1, -20);
  scene.domain_upper = Vec3(20, 1, 20);
  const Eigen::AngleAxisd turn(angle, Vec3::UnitY());
  scene::Obstacle slope{"slope", {geometry::HalfSpace{}}};
  slope.shape.rotation = turn.toRotationMatrix();
  slope.friction = 2 * friction;
  scene.obstacles = {slope};
  const double gap = scene.coupling.contact_distance;
  scene.rigid_bodies = {make_brick({-0.1, -0.1, gap}, {0.1, 0.1, gap + 0.06})};
  scene.rigid_bodies[0].friction = friction / 2;
  for (Vec3& x : scene.rigid_bodies[0].mesh.vertices)
    x = turn * x;
  return scene;
}

TEST(RigidBody, sticks_on_a_slope_below_its_angle_of_friction) {
  const auto simulation = make_simulation(make_slope(0.4, std::tan(0.41)));
  const Vec3 start = mean(positions(*simulation, 0));
  advance(*simulation, 60);
  EXPECT_LT((mean(positions(*simulation, 0)) - start).norm(), 1e-5);
}

TEST(RigidBody, slides_down_a_slope_by_coulombs_law) {
  const double angle = 0.4, friction = 0.3;
  const auto simulation = make_simulation(make_slope(angle, friction));
  const Vec3 start = mean(positions(*simulation, 0));
  advance(*simulation, 60);
  const Vec3 way = mean(positions(*simulation, 0)) - start;
  const Vec3 down(std::cos(angle), 0, -std::sin(angle));
  const double expected = 0.5 * gravity * (std::sin(angle) - friction * std::cos(angle));
  EXPECT_NEAR(way.dot(down), expected, 0.01 * expected);  // Implicit Euler: h / t = 0.4 %.
  EXPECT_LT((way - way.dot(down) * down).norm(), 1e-5);
}

TEST(RigidBody, a_scripted_body_follows_its_track_and_pushes_another) {
  scene::Scene scene = make_room();
  scene.rigid_bodies = {make_brick({-0.4, -0.1, 0.01}, {-0.3, 0.1, 0.2}),
                        make_brick({-0.1, -0.1, 0.002}, {0.1, 0.1, 0.2})};
  scene::RigidBody& pusher = scene.rigid_bodies[0];
  pusher.name = "pusher";
  pusher.script = {{.time = 1, .offset = Vec3(0.3, 0, 0)}, {.time = 2, .offset = Vec3(0.3, 0, 0)}};
  scene.rigid_bodies[1].friction = 0;
  const auto simulation = make_simulation(scene);
  for (int frame = 1; frame <= 90; ++frame) {
    advance(*simulation, 1);
    const double way = 0.3 * std::min(1.0, simulation->time());
    EXPECT_NEAR(mean(positions(*simulation, 0)).x(), -0.35 + way, 1e-6);
    const double least = -0.3 + way + 0.1 + scene.coupling.contact_distance;
    EXPECT_GT(mean(positions(*simulation, 1)).x(), std::max(0.0, least) - 1e-4) << frame;
  }
  // It was pushed, at 0.3 m/s, and slid on from where the pusher stopped; never tilted.
  EXPECT_GT(mean(positions(*simulation, 1)).x(), 0.2);
  EXPECT_NEAR(mean(positions(*simulation, 1)).z(), 0.101, 1e-4);
}

TEST(RigidBody, a_press_stops_at_what_cannot_give_way) {
  scene::Scene scene = make_room();
  scene.rigid_bodies = {make_brick({-0.2, -0.2, 0.3}, {0.2, 0.2, 0.4}),
                        make_brick({-0.1, -0.1, 0.002}, {0.1, 0.1, 0.2})};
  scene.rigid_bodies[0].name = "press";
  scene.rigid_bodies[0].script = {{.time = 0.5, .offset = Vec3(0, 0, -0.3)},
                                  {.time = 1, .offset = Vec3::Zero()}};
  const auto simulation = make_simulation(scene);
  for (int frame = 1; frame <= 70; ++frame) {
    const auto statistics = simulation->advance_frame();
    ASSERT_TRUE(statistics) << statistics.error().message;
    for (const Vec3& x : positions(*simulation, 1))
      EXPECT_GT(x.z(), 0) << "frame " << frame;
    double lowest = 1, highest = 0;
    for (const Vec3& x : positions(*simulation, 0))
      lowest = std::min(lowest, x.z());
    for (const Vec3& x : positions(*simulation, 1))
      highest = std::max(highest, x.z());
    EXPECT_GE(lowest, highest) << "frame " << frame;  // In float the same, pressed together.
  }
  // It went back up, and the brick stays on the floor.
  EXPECT_NEAR(mean(positions(*simulation, 0)).z(), 0.35, 1e-6);
  EXPECT_NEAR(mean(positions(*simulation, 1)).z(), 0.101, 1e-3);
}

TEST(RigidBody, a_scripted_body_turns_about_its_centre) {
  scene::Scene scene = make_room();
  scene.rigid_bodies = {make_brick({0.1, -0.05, 0.4}, {0.3, 0.05, 0.5})};
  const Eigen::AngleAxisd turn(1.2, Vec3(1, 2, 2).normalized());
  scene.rigid_bodies[0].script = {{0.5, Vec3(-0.1, 0, 0), Eigen::Quaterniond(turn)}};
  const auto simulation = make_simulation(scene);
  advance(*simulation, 40);
  const auto now = positions(*simulation, 0);
  const Vec3 centre(0.2, 0, 0.45);
  for (std::size_t i = 0; i < now.size(); ++i) {
    const Vec3 start = scene.rigid_bodies[0].mesh.vertices[i];
    EXPECT_LT((now[i] - (centre + Vec3(-0.1, 0, 0) + turn * (start - centre))).norm(), 1e-6);
  }
}

TEST(RigidBody, bricks_stack) {
  // With vertices in the faces: those of the corners meet nothing, and edges do not meet edges.
  scene::Scene scene = make_room();
  for (int i = 0; i < 3; ++i) {
    const double bottom = 0.02 + 0.12 * i;
    scene::RigidBody brick;
    brick.name = "brick" + std::to_string(i);
    const auto shape = test::make_box({-0.1, -0.1, bottom}, {0.1, 0.1, bottom + 0.1});
    brick.mesh = geometry::tessellate_shape(shape, 0.05, 1000).value();
    scene.rigid_bodies.push_back(brick);
    for (Vec3& x : scene.rigid_bodies.back().mesh.vertices)
      x = Eigen::AngleAxisd(0.3 * i, Vec3::UnitZ()) * x;
  }
  const auto simulation = make_simulation(scene);
  advance(*simulation, 120);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto here = positions(*simulation, i);
    const double gaps = static_cast<double>(i + 1) * scene.coupling.contact_distance;
    EXPECT_NEAR(mean(here).z(), 0.05 + 0.1 * static_cast<double>(i) + gaps, 1e-3);
    EXPECT_LT(mean(here).head<2>().norm(), 1e-3);
    for (const Vec3& x : here)
      EXPECT_LT(std::abs(x.z() - mean(here).z()), 0.051);
  }
}

TEST(RigidBody, a_moving_plate_takes_a_brick_along_by_friction) {
  scene::Scene scene = make_room();
  const double gap = scene.coupling.contact_distance;
  scene.rigid_bodies = {make_brick({-0.4, -0.2, 0.1}, {0.2, 0.2, 0.15}), {}};
  scene.rigid_bodies[0].name = "plate";
  scene.rigid_bodies[0].script = {{.time = 1, .offset = Vec3(0.2, 0, 0)}};
  scene.rigid_bodies[1].name = "brick";
  const auto shape = test::make_box({-0.2, -0.05, 0.15 + gap}, {-0.1, 0.05, 0.2 + gap});
  scene.rigid_bodies[1].mesh = geometry::tessellate_shape(shape, 0.05, 1000).value();
  for (const double friction : {0.3, 0.0}) {
    scene.rigid_bodies[0].friction = friction;
    const auto simulation = make_simulation(scene);
    advance(*simulation, 60);
    // It slides until it is as fast as the plate: v^2 / (2 mu g) behind.
    const double way = friction == 0 ? 0 : 0.2 - 0.2 * 0.2 / (2 * friction * gravity);
    EXPECT_NEAR(mean(positions(*simulation, 1)).x(), -0.15 + way, 1e-3);
    EXPECT_NEAR(mean(positions(*simulation, 1)).z(), 0.175 + gap, 1e-4);
  }
}

/// A pinned sheet of 21 x 21 vertices at z = 0.5 and a ball of 1 kg above it.
scene::Scene make_trampoline() {
  scene::Scene scene = make_room();
  scene::Cloth sheet = test::make_sheet(21, 21, 0.04, {0, 0, 0.5});
  sheet.structural_stiffness = 400;
  sheet.shear_stiffness = 100;
  sheet.pins = {test::make_pin(test::rim(21, 21))};
  scene.cloths = {sheet};
  scene::RigidBody ball;
  ball.name = "ball";
  ball.mesh = geometry::moved(geometry::make_sphere(8, 0.1), {0.02, 0.01, 0.75});
  ball.density = 240;
  scene.rigid_bodies = {ball};
  return scene;
}

TEST(RigidBody, a_trampoline_catches_a_ball) {
  const scene::Scene scene = make_trampoline();
  const auto simulation = make_simulation(scene);
  double lowest = 1, highest_after = 0;
  for (int frame = 0; frame < 120; ++frame) {
    const auto statistics = simulation->advance_frame();
    ASSERT_TRUE(statistics) << statistics.error().message;
    const Vec3 centre = mean(positions(*simulation, 1));
    lowest = std::min(lowest, centre.z());
    if (lowest < 0.6) highest_after = std::max(highest_after, centre.z());
    for (const Vec3& x : positions(*simulation, 0)) {
      // Facets are up to 2.5 % of the radius below the sphere.
      EXPECT_GT((x - centre).norm(), 0.97 * 0.1) << "frame " << frame;
    }
  }
  EXPECT_LT(lowest, 0.57);         // It sank in,
  EXPECT_GT(lowest, 0.15);         // was held,
  EXPECT_GT(highest_after, 0.6);   // and thrown up again,
  EXPECT_LT(highest_after, 0.75);  // by less than it fell.
}

/// Water that falls on the edge of a light box.
scene::Scene make_wet_scene() {
  scene::Scene scene = make_room();
  scene.domain_lower = Vec3(-0.2, -0.2, 0);
  scene.domain_upper = Vec3(0.2, 0.2, 0.6);
  scene.grid.cell_size = 0.025;
  scene.fluids.push_back({"water", {test::make_box({0.0, -0.08, 0.3}, {0.15, 0.08, 0.45})}});
  scene.fluids[0].sound_speed = 10;
  scene.coupling.contact_distance = 0.0025;
  scene.rigid_bodies = {make_brick({-0.05, -0.1, 0.0025}, {0.05, 0.1, 0.1})};
  scene.rigid_bodies[0].density = 100;
  return scene;
}

TEST(RigidBody, water_pushes_a_light_box_and_stays_out) {
  const scene::Scene scene = make_wet_scene();
  certificate::CrossingCertificate certificate;
  const auto simulation = make_simulation(scene, 1, &certificate);
  advance(*simulation, 40);
  EXPECT_EQ(certificate.crossing_count(), 0);
  EXPECT_LT(mean(positions(*simulation, 1)).x(), -0.01);
}

TEST(RigidBody, gives_the_same_bits_on_two_threads_and_after_a_restore) {
  scene::Scene scene = make_wet_scene();
  scene::Cloth sheet = test::make_sheet(9, 9, 0.03, {0, 0, 0.2});
  sheet.pins = {test::make_pin(test::rim(9, 9))};
  scene.cloths = {sheet};
  const auto undisturbed = make_simulation(scene, 1);
  const auto other = make_simulation(scene, 2);
  const DragBody drag{"brick", {0.05, 0.1, 0.1}, {0.1, 0.1, 0.15}, 0.03, 50, 4};
  ASSERT_TRUE(undisturbed->steer(drag));
  ASSERT_TRUE(other->steer(drag));
  advance(*undisturbed, 8);
  advance(*other, 3);
  const auto restored = test::save_and_restore(*other, scene, 2);
  advance(*restored, 5);
  EXPECT_EQ(test::all_values(*undisturbed), test::all_values(*restored));
}

TEST(RigidBody, a_drag_pulls_it) {  // Oracle: a mass on a spring, stretched by its weight.
  scene::Scene scene = make_room();
  scene.rigid_bodies = {make_brick({-0.05, -0.05, 0.5}, {0.05, 0.05, 0.6})};
  scene.rigid_bodies[0].damping = 8;
  const auto simulation = make_simulation(scene);
  // Four springs of 100 N/m hold 1 kg at its top corners.
  ASSERT_TRUE(simulation->steer(DragBody{"brick", {0, 0, 0.6}, {0, 0, 0.6}, 0.08, 100, 1000}));
  advance(*simulation, 120);
  EXPECT_NEAR(mean(positions(*simulation, 0)).z(), 0.55 - gravity / 400, 1e-4);
}

}  // namespace
}  // namespace sluice::rigid_body_test
