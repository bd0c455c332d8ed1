// SPDX-License-Identifier: Apache-2.0
// Oracles: areas and motions worked by hand.
#include "solver/solid/deformable_system.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/unit/solver/solid/grid_mesh.h"

namespace sluice::solid {
namespace {

scene::Cloth make_cloth() {
  scene::Cloth cloth;
  cloth.name = "sheet";
  cloth.mesh = grid_mesh(4, 3, 0.5);
  cloth.area_density = 0.3;
  cloth.velocity = Vec3(1, 0, 0);
  cloth.pins.push_back({"corner", {0, 3}, Vec3(0, 2, 0)});
  return cloth;
}

TEST(DeformableSystem, masses_sum_to_area_times_density) {
  scene::Scene scene;
  scene.cloths = {make_cloth(), make_cloth()};
  const DeformableSystem system = make_deformable_system(scene);
  EXPECT_NEAR(std::accumulate(system.mass.begin(), system.mass.end(), 0.0), 2 * 1.5 * 1.0 * 0.3,
              1e-12);
  ASSERT_EQ(system.positions.size(), 24U);
  EXPECT_EQ(system.triangles[12][0], 12);
  EXPECT_EQ(system.is_held[12], 1);
  EXPECT_EQ(system.velocities[15], Vec3(0, 2, 0));
}

TEST(DeformableSystem, vertex_without_triangle_is_held_still) {
  scene::Scene scene;
  scene.cloths = {make_cloth()};
  scene.cloths[0].mesh.vertices.emplace_back(9, 9, 9);
  const DeformableSystem system = make_deformable_system(scene);
  EXPECT_EQ(system.is_held.back(), 1);
  EXPECT_EQ(system.velocities.back(), Vec3::Zero());
}

TEST(InertialTerm, targets_are_free_flight_and_pins_follow_their_velocity) {
  scene::Scene scene;
  scene.cloths = {make_cloth()};
  scene.cloths[0].damping = 2;
  const DeformableSystem system = make_deformable_system(scene);
  InertialTerm term;
  const double h = 0.01;
  set_inertial_term(system, h, Vec3(0, 0, -10), {}, {}, term);
  EXPECT_TRUE(std::isinf(term.inertia[0]));
  EXPECT_NEAR((term.targets[0] - (system.positions[0] + Vec3(0, 0.02, 0))).norm(), 0, 1e-15);
  const Vec3 expected = system.positions[1] + Vec3(h * std::exp(-0.02), 0, -10 * h * h);
  EXPECT_NEAR((term.targets[1] - expected).norm(), 0, 1e-15);
  EXPECT_NEAR(term.inertia[1], system.mass[1] / (h * h), 1e-9);
}

TEST(InertialTerm, anchors_draw_the_target_by_their_share_of_stiffness) {
  scene::Scene scene;
  scene.cloths = {make_cloth()};
  const DeformableSystem system = make_deformable_system(scene);
  InertialTerm free, drawn;
  set_inertial_term(system, 0.01, Vec3::Zero(), {}, {}, free);
  const std::vector<Anchor> anchors{{1, free.inertia[1], Vec3(5, 5, 5)}, {0, 1e9, Vec3(5, 5, 5)}};
  set_inertial_term(system, 0.01, Vec3::Zero(), {}, anchors, drawn);
  EXPECT_NEAR((drawn.targets[1] - 0.5 * (free.targets[1] + Vec3(5, 5, 5))).norm(), 0, 1e-12);
  EXPECT_NEAR(drawn.inertia[1], 2 * free.inertia[1], 1e-9);
  EXPECT_EQ(drawn.targets[0], free.targets[0]);
}

TEST(InertialTerm, forces_and_a_share_of_gravity_move_the_target) {
  scene::Scene scene;
  scene.cloths = {make_cloth()};
  scene.cloths[0].gravity_scale = -0.5;
  const DeformableSystem system = make_deformable_system(scene);
  std::vector<Vec3> forces(system.positions.size(), Vec3::Zero());
  forces[1] = Vec3(3, 0, 0);
  forces[0] = Vec3(1e9, 0, 0);  // Held.
  InertialTerm term;
  const double h = 0.01;
  set_inertial_term(system, h, Vec3(0, 0, -10), forces, {}, term);
  const Vec3 expected =
      system.positions[1] + h * Vec3(1, 0, 0) + h * h * Vec3(3 / system.mass[1], 0, 5);
  EXPECT_LT((term.targets[1] - expected).norm(), 1e-15);
  EXPECT_LT((term.targets[0] - system.positions[0] - Vec3(0, 2 * h, 0)).norm(), 1e-15);
}

// With theta = 1/2 what falls does so on its parabola, however long the steps.
TEST(ThetaRule, falls_on_a_parabola) {
  scene::Scene scene;
  scene.cloths = {make_cloth()};
  DeformableSystem system = make_deformable_system(scene);
  const std::vector<Vec3> no_forces(system.positions.size(), Vec3::Zero());
  const ThetaRule rule{0.5, no_forces};
  const Vec3 x0 = system.positions[1], v0 = system.velocities[1], g(0, 0, -10);
  InertialTerm term;
  double t = 0;
  for (const double h : {0.1, 0.3, 0.05}) {
    set_inertial_term(system, h, g, {}, {}, term, rule);
    EXPECT_NEAR(term.inertia[1], 4 * system.mass[1] / (h * h), 1e-9);
    system.velocities[1] = end_velocity(system, h, 1, term.targets[1], rule);
    system.positions[1] = term.targets[1];
    t += h;
    EXPECT_LT((system.positions[1] - (x0 + t * v0 + 0.5 * t * t * g)).norm(), 1e-12);
    EXPECT_LT((system.velocities[1] - (v0 + t * g)).norm(), 1e-12);
  }
}

// A mass on a spring loses (theta - 1/2) h w of its amplitude each radian.
TEST(ThetaRule, loses_as_much_as_it_says) {
  scene::Scene scene;
  scene.cloths = {make_cloth()};
  for (const double theta : {0.5, 0.55, 1.0}) {
    DeformableSystem system = make_deformable_system(scene);
    const double w = 7, h = 0.01, m = system.mass[1];
    system.positions[1] = Vec3(1, 0, 0);
    system.velocities[1] = Vec3::Zero();
    InertialTerm term;
    std::vector<Vec3> elastic(system.positions.size(), Vec3::Zero());
    const auto amplitude = [&] {
      return std::hypot(system.positions[1].x(), system.velocities[1].x() / w);
    };
    constexpr int steps = 200;
    for (int step = 0; step < steps; ++step) {
      elastic[1] = -m * w * w * system.positions[1];
      const ThetaRule rule{theta, elastic};
      set_inertial_term(system, h, Vec3::Zero(), {}, {}, term, rule);
      const double stiffness = m * w * w;
      const Vec3 end =
          term.inertia[1] / (term.inertia[1] + stiffness) * term.targets[1];  // The minimum.
      system.velocities[1] = end_velocity(system, h, 1, end, rule);
      system.positions[1] = end;
    }
    const double expected = std::exp(-(theta - 0.5) * h * w * w * h * steps);
    EXPECT_NEAR(amplitude(), expected, 0.006) << theta;
  }
}

TEST(BodyPin, turns_on_its_circle_however_many_steps) {
  scene::Scene scene;
  scene.cloths = {make_cloth()};
  scene::Pin& pin = scene.cloths[0].pins[0];
  pin.velocity = Vec3(0, 0, 1);
  pin.angular_velocity = Vec3(0, 0, 2);
  pin.center = Vec3(-0.5, 0, 0);
  DeformableSystem system = make_deformable_system(scene);
  EXPECT_LT((system.velocities[3] - Vec3(0, 2 * 2, 1)).norm(), 1e-12) << "at 2 m from the axis";
  InertialTerm term;
  const double h = 1e-3;
  for (int step = 0; step < 1000; ++step) {
    set_inertial_term(system, h, Vec3::Zero(), {}, {}, term);
    system.positions = term.targets;
    advance_pins(system, h);
  }
  const Vec3 turned = Vec3(-0.5, 0, 1) + 2 * Vec3(std::cos(2.0), std::sin(2.0), 0);
  EXPECT_LT((system.positions[3] - turned).norm(), 1e-11);
  EXPECT_LT((system.velocities[3] - Vec3(-4 * std::sin(2.0), 4 * std::cos(2.0), 1)).norm(), 1e-10);
}

TEST(DeformableSystem, springs_join_bodies_at_their_distance) {
  scene::Scene scene;
  scene.cloths = {make_cloth(), make_cloth()};
  scene.cloths[1].name = "other";
  for (Vec3& vertex : scene.cloths[1].mesh.vertices)
    vertex.z() += 0.25;
  scene.springs = {{{"sheet", 5}, {"other", 5}, 40, std::nullopt},
                   {{"other", 6}, {"sheet", 6}, 40, 0.05}};
  DeformableSystem system = make_deformable_system(scene);
  EXPECT_NEAR(elastic_energy(system), 0.5 * 40 * 0.2 * 0.2, 1e-12) << "of the second alone";
  system.positions[5].z() -= 0.1;
  scene.springs.clear();
  const double sheets = energy(make_deformable_system(scene).springs, system.positions);
  EXPECT_NEAR(elastic_energy(system) - sheets, 0.5 * 40 * (0.2 * 0.2 + 0.1 * 0.1), 1e-12);
}

TEST(DeformableSystem, soft_body_has_a_quarter_of_each_tetrahedron_at_its_corners) {
  scene::Scene scene;
  scene.cloths = {make_cloth()};
  scene.soft_bodies.resize(1);
  scene::SoftBody& body = scene.soft_bodies[0];
  body.name = "jelly";
  body.density = 600;
  body.mesh.vertices = {{0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {0, 0, 2}, {0, 0, 0}};
  body.mesh.tets = {{0, 1, 2, 3}, {0, 2, 1, 4}};
  body.pins = {{"top", {3}, Vec3(0, 0, 1)}};
  const DeformableSystem system = make_deformable_system(scene);
  ASSERT_EQ(system.bodies.size(), 2U);
  const BodyRange& range = system.bodies[1];
  EXPECT_EQ(range.first_vertex, 12);
  EXPECT_EQ(range.vertex_count, 5);
  EXPECT_EQ(range.tet_count, 2);
  EXPECT_EQ(range.triangle_count, 6) << "the face between the two is inside";
  EXPECT_EQ(system.tets[1], (geometry::TetIndices{12, 14, 13, 16}));
  EXPECT_NEAR(system.mass[12], 600 * (1.0 / 6 + 1.0 / 6) / 4, 1e-12);
  EXPECT_NEAR(system.mass[15], 600 * (1.0 / 6) / 4, 1e-12);
  EXPECT_EQ(system.is_held[15], 1);
  EXPECT_EQ(system.velocities[15], Vec3(0, 0, 1));
  EXPECT_LT(elastic_energy(system), 1e-20) << "at rest";
  double enclosed = 0;  // By the divergence theorem: all faces point out.
  for (std::int32_t t = range.first_triangle; t < range.first_triangle + 6; ++t) {
    const auto [a, b, c] = system.triangles[static_cast<std::size_t>(t)];
    const auto at = [&](std::int32_t i) { return system.positions[static_cast<std::size_t>(i)]; };
    enclosed += at(a).dot(at(b).cross(at(c))) / 6;
  }
  EXPECT_NEAR(enclosed, 1.0 / 3, 1e-12);
}

}  // namespace
}  // namespace sluice::solid
