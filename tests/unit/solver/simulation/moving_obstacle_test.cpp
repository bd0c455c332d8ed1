// SPDX-License-Identifier: Apache-2.0
// Obstacles that people move. Oracles: kinematics of a body that is pushed, lifted or rubbed along,
// the certificate that nothing crosses cloth, and the same run made another way, bit by bit.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "solver/certificate/crossing_certificate.h"
#include "solver/geometry/shape.h"
#include "tests/unit/solver/simulation_scenes.h"

namespace sluice::moving_obstacle_test {
namespace {

using test::advance;
using test::all_values;
using test::make_box;
using test::make_pin;
using test::make_sheet;
using test::make_simulation;
using test::positions;
using test::save_and_restore;
using test::values_of;

Vec3 offset_of(const Simulation& simulation, const std::string& name) {
  for (const ObstacleOffset& moved : simulation.obstacle_offsets()) {
    if (moved.body == name) return moved.offset;
  }
  return Vec3::Zero();
}

/// [m] How far the deepest point is inside an obstacle of `scene` where it is now; <= 0: none is.
double deepest(const Simulation& simulation, const scene::Scene& scene, std::size_t obstacle,
               std::size_t body) {
  geometry::Shape shape = scene.obstacles[obstacle].shape;
  shape.translation += offset_of(simulation, scene.obstacles[obstacle].name);
  double depth = -std::numeric_limits<double>::infinity();
  for (const Vec3& x : positions(simulation, body))
    depth = std::max(depth, -geometry::signed_distance(shape, x).distance);
  return depth;
}

TEST(MovingObstacle, a_piston_drives_water_before_it) {
  scene::Scene scene;
  scene.gravity.setZero();
  scene.domain_lower = Vec3(0, 0, 0);
  scene.domain_upper = Vec3(1, 0.1, 0.1);
  scene.fluids.push_back({"water", {make_box(Vec3(0.2, 0, 0), Vec3(0.4, 0.1, 0.1))}});
  scene.obstacles.push_back({"piston", make_box(Vec3(0.1, -0.01, -0.01), Vec3(0.16, 0.11, 0.11))});
  const auto simulation = make_simulation(scene);
  ASSERT_TRUE(simulation->steer(MoveObstacle{"piston", Vec3(1, 0, 0)}));
  Vec3 momentum = Vec3::Zero();
  for (int i = 0; i < 15; ++i) {
    const auto statistics = simulation->advance_frame();
    ASSERT_TRUE(statistics) << statistics.error().message;
    momentum = statistics.value().momentum;
    EXPECT_LE(deepest(*simulation, scene, 0, 0), 1e-6) << "frame " << i + 1;
  }
  EXPECT_NEAR(offset_of(*simulation, "piston").x(), 0.25, 1e-9);
  // 2 kg at the piston's speed, or up to twice that where they bounced off it.
  EXPECT_GT(momentum.x(), 2 * 0.95);
  EXPECT_LT(momentum.x(), 2 * 2.05);
  EXPECT_LT(momentum.tail<2>().norm(), 0.02 * momentum.x());
}

// In the piston's frame water comes at 1 m/s and must not leave it faster, wherever between nodes
// the piston meets it: at 1.2 m/s where nodes that no particle reaches counted as standing still.
TEST(MovingObstacle, water_leaves_a_piston_no_faster_than_it_came) {
  for (const double lower : {0.1, 0.12}) {
    for (const double speed : {0.0, 0.25, 0.5, 1.0}) {
      scene::Scene scene;
      scene.gravity.setZero();
      scene.domain_lower = Vec3(0, 0, 0);
      scene.domain_upper = Vec3(2, 0.1, 0.1);
      scene.fluids.push_back(
          {"water", {make_box(Vec3(lower + 0.1, 0, 0), Vec3(lower + 0.3, 0.1, 0.1))}});
      scene.fluids[0].velocity = Vec3(speed - 1, 0, 0);
      scene.obstacles.push_back(
          {"piston", make_box(Vec3(lower, -0.01, -0.01), Vec3(lower + 0.06, 0.11, 0.11))});
      const auto simulation = make_simulation(scene);
      if (speed > 0) {
        ASSERT_TRUE(simulation->steer(MoveObstacle{"piston", Vec3(speed, 0, 0)}));
      }
      double momentum = 0;
      for (int frame = 0; frame < 8; ++frame) {
        const auto statistics = simulation->advance_frame();
        ASSERT_TRUE(statistics) << statistics.error().message;
        momentum = statistics.value().momentum.x();
      }
      const double leaving = momentum / 2 - speed;  // The water has 2 kg.
      EXPECT_GT(leaving, 0) << lower << " " << speed;
      EXPECT_LT(leaving, 0.9) << lower << " " << speed;
    }
  }
}

TEST(MovingObstacle, a_wall_without_slip_takes_water_along) {
  scene::Scene scene;
  scene.gravity.setZero();
  scene.domain_lower = Vec3(0, 0, 0);
  scene.domain_upper = Vec3(0.6, 0.12, 0.3);
  scene.fluids.push_back({"water", {make_box(Vec3(0.2, 0, 0.1), Vec3(0.4, 0.12, 0.14))}});
  scene.obstacles.push_back({"belt", make_box(Vec3(0.01, 0, 0), Vec3(0.4, 0.12, 0.1))});
  scene.obstacles[0].wall = scene::WallCondition::no_slip;
  const auto simulation = make_simulation(scene);
  ASSERT_TRUE(simulation->steer(MoveObstacle{"belt", Vec3(0.5, 0, 0)}));
  advance(*simulation, 6);
  // The lowest particles stick to it; slip would leave them where they are.
  double near = 0;
  int count = 0;
  const auto x = positions(*simulation, 0);
  const auto velocities = values_of(*simulation, 0, Field::velocity);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i].z() > 0.11) continue;
    near += static_cast<double>(velocities[3 * i]);
    ++count;
  }
  ASSERT_GT(count, 100);
  EXPECT_GT(near / count, 0.25);
}

/// A sheet on a table, at rest.
scene::Scene make_table() {
  scene::Scene scene;
  scene.domain_lower = Vec3(-1, -1, -1);
  scene.domain_upper = Vec3(1, 1, 1);
  scene::Cloth cloth = make_sheet(11, 11, 0.02, Vec3(0, 0, 1.5e-3));
  cloth.structural_stiffness = 500;
  cloth.friction = 0.5;
  scene.cloths.push_back(cloth);
  scene.obstacles.push_back({"table", make_box(Vec3(-0.4, -0.4, -0.1), Vec3(0.4, 0.4, 0))});
  scene.obstacles[0].friction = 0.5;
  scene.coupling.contact_distance = 1e-3;
  return scene;
}

Vec3 mean(const std::vector<Vec3>& points) {
  Vec3 sum = Vec3::Zero();
  for (const Vec3& x : points)
    sum += x;
  return sum / static_cast<double>(points.size());
}

TEST(MovingObstacle, a_table_lifts_the_sheet_on_it) {
  const auto scene = make_table();
  const auto simulation = make_simulation(scene);
  advance(*simulation, 2);
  ASSERT_TRUE(simulation->steer(MoveObstacle{"table", Vec3(0, 0, 0.6)}));
  advance(*simulation, 30);
  EXPECT_NEAR(offset_of(*simulation, "table").z(), 0.3, 1e-9);
  EXPECT_NEAR(mean(positions(*simulation, 0)).z(), 0.3 + 1.5e-3, 2e-4);
  EXPECT_LE(deepest(*simulation, scene, 0, 0), 0);
}

TEST(MovingObstacle, a_table_takes_the_sheet_along_by_friction) {
  const auto simulation = make_simulation(make_table());
  advance(*simulation, 2);
  ASSERT_TRUE(simulation->steer(MoveObstacle{"table", Vec3(0.3, 0, 0)}));
  advance(*simulation, 30);
  // Coulomb: a = mu g until the speeds are equal, so it stays v^2 / (2 mu g) behind.
  const double behind = 0.3 * 0.3 / (2 * 0.5 * 9.81);
  EXPECT_NEAR(mean(positions(*simulation, 0)).x(), 0.15 - behind, 0.3 * behind);
}

TEST(MovingObstacle, stops_at_the_domains_sides) {
  scene::Scene scene = make_table();
  scene.obstacles.push_back({"ball", {geometry::Sphere{0.1}, Vec3(0, 0, 0.5), Mat3::Identity()}});
  scene.obstacles.push_back(
      {"shelf", make_box(Vec3(-0.5, 0.6, 0.6), Vec3(1.5, 0.7, 0.7))});  // Reaches out.
  scene.obstacles.push_back(
      {"ground", {geometry::HalfSpace{}, Vec3(0, 0, -0.9), Mat3::Identity()}});
  const auto simulation = make_simulation(scene);
  ASSERT_TRUE(simulation->steer(MoveObstacle{"ball", Vec3(3, -1, 0)}));
  ASSERT_TRUE(simulation->steer(MoveObstacle{"shelf", Vec3(2, 0, 2)}));
  ASSERT_TRUE(simulation->steer(MoveObstacle{"ground", Vec3(0, 0, -4)}));
  advance(*simulation, 30);
  EXPECT_TRUE(offset_of(*simulation, "ball").isApprox(Vec3(0.9, -0.5, 0), 1e-9));
  EXPECT_TRUE(offset_of(*simulation, "shelf").isApprox(Vec3(0, 0, 0.3), 1e-9));
  EXPECT_TRUE(offset_of(*simulation, "ground").isApprox(Vec3(0, 0, -0.1), 1e-9));
  EXPECT_EQ(simulation->obstacle_offsets().size(), 3U) << "the table never moved";
  // And comes back.
  ASSERT_TRUE(simulation->steer(MoveObstacle{"ball", Vec3(-1.8, 0, 0)}));
  advance(*simulation, 30);
  EXPECT_TRUE(offset_of(*simulation, "ball").isApprox(Vec3(0, -0.5, 0), 1e-6));
}

/// A ball under a sheet that water lies on.
scene::Scene make_covered_ball() {
  scene::Scene scene;
  scene.domain_lower = Vec3(-0.2, -0.2, -0.3);
  scene.domain_upper = Vec3(0.2, 0.2, 0.3);
  scene.fluids.push_back({"water", {make_box(Vec3(-0.1, -0.1, 0.01), Vec3(0.1, 0.1, 0.05))}});
  scene.fluids[0].sound_speed = 15;
  scene::Cloth cloth = make_sheet(21, 21, 0.02 * (1 - 1e-9), Vec3::Zero());
  cloth.structural_stiffness = 500;
  cloth.pins.push_back(make_pin(test::rim(21, 21)));
  scene.cloths.push_back(cloth);
  scene.obstacles.push_back({"ball", {geometry::Sphere{0.06}, Vec3(0, 0, -0.1), Mat3::Identity()}});
  scene.coupling.contact_distance = 2e-3;
  return scene;
}

TEST(MovingObstacle, a_ball_lifts_a_sheet_that_is_held_around_it) {
  auto scene = make_covered_ball();
  scene.fluids.clear();
  const auto simulation = make_simulation(scene);
  advance(*simulation, 3);
  ASSERT_TRUE(simulation->steer(MoveObstacle{"ball", Vec3(0, 0, 2)}));
  for (int i = 0; i < 5; ++i) {
    advance(*simulation, 1);
    EXPECT_LE(deepest(*simulation, scene, 0, 0), -2.4e-3) << "closer than contact allows";
  }
  EXPECT_GT(positions(*simulation, 0)[220].z(), 0.12) << "the sheet's middle went up with the ball";
}

TEST(MovingObstacle, a_ball_that_pushes_a_sheet_into_water_lets_nothing_through) {
  // Symptom: the ball sank into the sheet, and the water ran away at 1e5 m/s. Mechanism: contact
  // saw the sheet where its springs drew it, before the ball had pushed it out, and let the water
  // down.
  const auto scene = make_covered_ball();
  certificate::CrossingCertificate certificate;
  const auto simulation = make_simulation(scene, 2, &certificate);
  advance(*simulation, 3);
  ASSERT_TRUE(simulation->steer(MoveObstacle{"ball", Vec3(0, 0, 2)}));
  for (int i = 0; i < 5; ++i) {
    const auto statistics = simulation->advance_frame();
    ASSERT_TRUE(statistics) << statistics.error().message;
    EXPECT_LE(deepest(*simulation, scene, 0, 1), -2.4e-3) << "frame " << i + 4;
    EXPECT_LE(deepest(*simulation, scene, 0, 0), 1e-6) << "frame " << i + 4;
    // The water is pushed by the sheet alone, which gives way by a ninth of what contact keeps.
    EXPECT_GE(statistics.value().smallest_gap, 2.2e-3) << "frame " << i + 4;
  }
  EXPECT_EQ(certificate.crossing_count(), 0);
  EXPECT_EQ(certificate.jump_count(), 0);
  EXPECT_GT(positions(*simulation, 1)[220].z(), 0.12) << "the sheet's middle went up with the ball";
}

/// Moves the ball from frame 3 on and turns it at frame 6; optionally restored in between.
std::vector<float> steered_run(int thread_count, bool restart) {
  const auto scene = make_covered_ball();
  auto simulation = make_simulation(scene, thread_count);
  advance(*simulation, 2);
  EXPECT_TRUE(simulation->steer(MoveObstacle{"ball", Vec3(0.3, 0, 1)}));
  advance(*simulation, 2);
  if (restart) simulation = save_and_restore(*simulation, scene, thread_count);
  advance(*simulation, 1);
  EXPECT_TRUE(simulation->steer(MoveObstacle{"ball", Vec3(0, 0.5, 0)}));
  advance(*simulation, 3);
  std::vector<float> values = all_values(*simulation);
  for (const double component : offset_of(*simulation, "ball"))
    values.push_back(static_cast<float>(component));
  return values;
}

TEST(MovingObstacle, replays_to_the_same_bits) {
  const auto once = steered_run(1, false);
  EXPECT_EQ(once, steered_run(2, false));
  EXPECT_EQ(once, steered_run(1, true));
}

TEST(MovingObstacle, a_failed_frame_takes_the_obstacle_back) {
  const auto simulation = make_simulation(make_covered_ball());
  ASSERT_TRUE(simulation->steer(MoveObstacle{"ball", Vec3(0, 0, 0.5)}));
  advance(*simulation, 1);
  const Vec3 before = offset_of(*simulation, "ball");
  ASSERT_TRUE(simulation->steer(MovePin{"sheet", "pin", Vec3(0, 0, 1e100)}));
  ASSERT_FALSE(simulation->advance_frame());
  EXPECT_EQ(offset_of(*simulation, "ball"), before);
}

TEST(MovingObstacle, refuses_what_is_no_obstacle_or_no_velocity) {
  const auto simulation = make_simulation(make_covered_ball());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(simulation->steer(MoveObstacle{"sheet", Vec3::Zero()}));
  EXPECT_FALSE(simulation->steer(MoveObstacle{"ball", Vec3(0, nan, 0)}));
}

}  // namespace
}  // namespace sluice::moving_obstacle_test
