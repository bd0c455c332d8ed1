// SPDX-License-Identifier: Apache-2.0
// What contact between solids is like: Coulomb's law between all kinds of bodies, restitution, and
// what a scene says of particular pairs.
#include <gtest/gtest.h>

#include <cmath>

#include "solver/geometry/tessellate_shape.h"
#include "tests/unit/solver/geometry/closed_meshes.h"
#include "tests/unit/solver/simulation_scenes.h"

namespace sluice::contact_material_test {
namespace {

using test::advance;
using test::make_block;
using test::make_sheet;
using test::make_simulation;
using test::positions;

constexpr double gap = 1e-3;

Vec3 mean(const std::vector<Vec3>& points) {
  Vec3 sum = Vec3::Zero();
  for (const Vec3& point : points)
    sum += point;
  return sum / static_cast<double>(points.size());
}

/// Gravity leans by `angle` over what is level.
scene::Scene make_leaning(double angle) {
  scene::Scene scene;
  scene.domain_lower = Vec3(-5, -5, -5);
  scene.domain_upper = Vec3(5, 5, 5);
  scene.gravity = 9.81 * Vec3(std::sin(angle), 0, -std::cos(angle));
  scene.coupling.contact_distance = gap;
  scene.coupling.max_iterations = 100;
  scene.coupling.tolerance = 1e-4;
  return scene;
}

scene::RigidBody make_rigid(const std::string& name, const Vec3& lower, const Vec3& upper) {
  scene::RigidBody body;
  body.name = name;
  body.mesh = geometry::make_box(lower, upper);
  return body;
}

/// A body that stays where it is, with its upper face at z = 0.
scene::RigidBody make_slab() {
  scene::RigidBody slab = make_rigid("slab", Vec3(-2, -2, -0.1), Vec3(2, 2, 0));
  slab.script = {{.time = 100}};
  return slab;
}

/// How far body `body` of a scene comes along x in half a second.
double slide(const scene::Scene& scene, std::size_t body) {
  const auto simulation = make_simulation(scene);
  const Vec3 start = mean(positions(*simulation, body));
  advance(*simulation, 30);
  return (mean(positions(*simulation, body)) - start).x();
}

double expected_slide(double angle, double friction) {
  return 0.5 * 9.81 * (std::sin(angle) - friction * std::cos(angle)) * 0.25;
}

TEST(ContactMaterial, a_soft_block_slides_over_a_rigid_one_as_coulomb_says) {
  const auto make = [](double angle) {
    scene::Scene scene = make_leaning(angle);
    scene.soft_bodies = {make_block({-0.1, -0.1, gap}, {0.1, 0.1, 0.1 + gap}, 0.1, 2e5)};
    scene.soft_bodies[0].friction = 0.5;
    scene.rigid_bodies = {make_slab()};
    scene.rigid_bodies[0].friction = 0.125;  // The root of the product is 1/4.
    return scene;
  };
  EXPECT_LT(std::abs(slide(make(0.2), 0)), 2e-3);  // tan 0.2 = 0.203
  const double expected = expected_slide(0.4, 0.25);
  EXPECT_NEAR(slide(make(0.4), 0), expected, 0.03 * expected);
}

TEST(ContactMaterial, a_sheet_slides_over_another_as_coulomb_says) {
  const auto make = [](double angle) {
    scene::Scene scene = make_leaning(angle);
    scene.cloths = {make_sheet(6, 6, 0.05, Vec3(0, 0, 2e-3)),
                    make_sheet(21, 11, 0.1, Vec3::Zero())};
    scene.cloths[1].name = "table";
    scene.cloths[1].pins = {{"all", {}}};
    for (std::int32_t i = 0; i < 21 * 11; ++i)
      scene.cloths[1].pins[0].vertices.push_back(i);
    scene.cloths[0].friction = scene.cloths[1].friction = 0.25;
    return scene;
  };
  EXPECT_LT(std::abs(slide(make(0.2), 0)), 2e-3);
  const double expected = expected_slide(0.4, 0.25);
  EXPECT_NEAR(slide(make(0.4), 0), expected, 0.03 * expected);
}

TEST(ContactMaterial, what_is_said_of_a_pair_counts_for_that_pair) {
  scene::Scene scene = make_leaning(0.2);
  scene.obstacles = {{"floor", {geometry::HalfSpace{}, Vec3::Zero(), Mat3::Identity()}}};
  const double edge = 0.1;
  for (const auto& [name, y] : {std::pair{"rough", -1.0}, std::pair{"smooth", 1.0}}) {
    scene.rigid_bodies.push_back(
        make_rigid(name, Vec3(0, y, gap), Vec3(edge, y + edge, edge + gap)));
  }
  scene.contact_pairs = {{"smooth", "floor", 0.0, std::nullopt}};
  EXPECT_LT(std::abs(slide(scene, 0)), 1e-4);
  EXPECT_NEAR(slide(scene, 1), expected_slide(0.2, 0), 0.01 * expected_slide(0.2, 0));
}

/// The mean velocity of a body's vertices, over the last frame.
Vec3 velocity(const Simulation& simulation, std::size_t body) {
  const auto values = test::values_of(simulation, body, Field::velocity);
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i < values.size(); i += 3)
    sum += Vec3(values[i], values[i + 1], values[i + 2]);
  return 3 * sum / static_cast<double>(values.size());
}

TEST(ContactMaterial, a_block_comes_off_a_wall_at_its_part_of_the_speed) {
  scene::Scene scene = make_leaning(0);
  scene.gravity.setZero();
  scene.obstacles = {{"wall", test::make_box(Vec3(0.5, -1, -1), Vec3(0.6, 1, 1))}};
  scene.rigid_bodies = {make_rigid("block", Vec3(-0.1, -0.1, -0.1), Vec3(0.1, 0.1, 0.1))};
  scene.rigid_bodies[0].velocity = Vec3(2, 0, 0);
  for (const double restitution : {0.0, 0.5, 1.0}) {
    scene.obstacles[0].restitution = restitution;
    const auto simulation = make_simulation(scene);
    advance(*simulation, 30);
    EXPECT_NEAR(velocity(*simulation, 0).x(), -2 * restitution, 1e-3) << restitution;
  }
  // The sides of the domain, 4.9 m away, have what the body has.
  scene.obstacles.clear();
  scene.rigid_bodies[0].velocity = Vec3(-20, 0, 0);
  scene.rigid_bodies[0].restitution = 0.25;
  const auto simulation = make_simulation(scene);
  advance(*simulation, 30);
  EXPECT_NEAR(velocity(*simulation, 0).x(), 5, 1e-3);
}

TEST(ContactMaterial, two_blocks_come_apart_at_their_part_of_the_speed_and_keep_momentum) {
  scene::Scene scene = make_leaning(0);
  scene.gravity.setZero();
  scene.rigid_bodies = {make_rigid("light", Vec3(-0.5, -0.1, -0.1), Vec3(-0.3, 0.1, 0.1)),
                        make_rigid("heavy", Vec3(-0.1, -0.1, -0.1), Vec3(0.1, 0.1, 0.1))};
  scene.rigid_bodies[0].velocity = Vec3(3, 0, 0);
  scene.rigid_bodies[1].density = 3000;
  scene.coupling.max_substep = 1e-3;
  scene.coupling.max_iterations = 1000;
  scene.coupling.tolerance = 1e-6;
  for (const double restitution : {0.0, 0.6, 1.0}) {
    scene.contact_pairs = {{"light", "heavy", 0.0, restitution}};
    const auto simulation = make_simulation(scene);
    advance(*simulation, 20);
    const double light = velocity(*simulation, 0).x(), heavy = velocity(*simulation, 1).x();
    EXPECT_NEAR(heavy - light, 3 * restitution, 0.02) << restitution;
    EXPECT_NEAR(light + 3 * heavy, 3, 1e-5) << restitution;
  }
}

TEST(ContactMaterial, restitution_is_of_what_does_not_deform) {
  scene::Scene scene = make_leaning(0);
  scene.obstacles = {{"floor", {geometry::HalfSpace{}, Vec3::Zero(), Mat3::Identity()}}};
  scene.soft_bodies = {make_block({-0.1, -0.1, 0.01}, {0.1, 0.1, 0.21}, 0.1, 1e5)};
  scene.soft_bodies[0].velocity = Vec3(0, 0, -2);
  const auto plain = make_simulation(scene);
  scene.obstacles[0].restitution = 1;
  const auto with_floor = make_simulation(scene);
  advance(*plain, 10);
  advance(*with_floor, 10);
  EXPECT_EQ(test::all_values(*plain), test::all_values(*with_floor));
}

}  // namespace
}  // namespace sluice::contact_material_test
