// SPDX-License-Identifier: Apache-2.0
// Rigid bodies in contact, substep by substep. Oracles: conservation of linear and angular momentum
// to rounding, the velocity after an inelastic impact, equal and opposite impulses.
#include <gtest/gtest.h>

#include <cmath>

#include "solver/coupling/admm_ipc.h"
#include "tests/unit/solver/geometry/closed_meshes.h"
#include "tests/unit/solver/simulation_scenes.h"

namespace sluice::coupling::rigid_contact_test {
namespace {

struct Momenta {
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();  ///< [kg m/s], [kg m^2/s] about the origin
};

Momenta momenta(const solid::DeformableSystem& solids) {
  Momenta sum;
  for (std::size_t i = 0; i < solids.positions.size(); ++i) {
    if (solids.is_held[i] != 0) continue;
    const Vec3 momentum = solids.mass[i] * solids.velocities[i];
    sum.linear += momentum;
    sum.angular += solids.positions[i].cross(momentum);
  }
  for (const solid::RigidMember& member : solids.rigid_bodies) {
    const Vec3 momentum = member.inertia.mass * member.state.velocity;
    sum.linear += momentum;
    sum.angular +=
        member.state.world_from_body.translation.cross(momentum) + member.state.angular_momentum;
  }
  return sum;
}

/// Weightless bodies in a wide room.
scene::Scene make_space() {
  scene::Scene scene;
  scene.coupling.contact_distance = 2e-3;
  scene.gravity.setZero();
  scene.domain_lower = Vec3(-5, -5, -5);
  scene.domain_upper = Vec3(5, 5, 5);
  return scene;
}

scene::RigidBody make_brick(const std::string& name, const Vec3& lower, const Vec3& upper) {
  scene::RigidBody body;
  body.name = name;
  body.mesh = geometry::make_box(lower, upper);
  return body;
}

/// Steps of 1/240 s; what the filter took from the momenta.
Vec3 march(const scene::Scene& scene, solid::DeformableSystem& solids, int count) {
  AdmmIpc coupling(scene, solids);
  Vec3 filtered = Vec3::Zero();
  for (int i = 0; i < count; ++i) {
    const auto report = coupling.step(1.0 / 240, {scene.gravity, {}, {}, {}}, solids, nullptr);
    EXPECT_TRUE(report);
    EXPECT_LT(report.value().solid_impulse.norm(), 1e-12);
    filtered += report.value().filter_impulse;
  }
  return filtered;
}

TEST(RigidContact, a_head_on_impact_keeps_momentum_and_is_inelastic) {
  scene::Scene scene = make_space();
  scene.rigid_bodies = {make_brick("left", {-0.5, -0.1, -0.1}, {-0.3, 0.1, 0.1}),
                        make_brick("right", {0, -0.12, -0.12}, {0.2, 0.12, 0.12})};
  scene.rigid_bodies[0].velocity = Vec3(3, 0, 0);
  solid::DeformableSystem solids = solid::make_deformable_system(scene);
  const Momenta before = momenta(solids);
  march(scene, solids, 120);
  const Momenta after = momenta(solids);
  EXPECT_LT((after.linear - before.linear).norm(), 1e-10);
  EXPECT_LT((after.angular - before.angular).norm(), 1e-10);
  const double common = before.linear.x() / (8 + 11.52);
  for (const solid::RigidMember& member : solids.rigid_bodies)
    EXPECT_NEAR(member.state.velocity.x(), common, 1e-2 * common);
}

TEST(RigidContact, a_glancing_impact_with_friction_keeps_angular_momentum) {
  scene::Scene scene = make_space();
  scene.rigid_bodies = {make_brick("left", {-0.5, -0.1, -0.1}, {-0.3, 0.1, 0.1}),
                        make_brick("right", {0, -0.02, -0.03}, {0.2, 0.3, 0.25})};
  scene.rigid_bodies[0].velocity = Vec3(5, -0.5, 0.8);
  scene.rigid_bodies[0].angular_velocity = Vec3(3, -2, 1);
  scene.rigid_bodies[0].friction = scene.rigid_bodies[1].friction = 0.6;
  solid::DeformableSystem solids = solid::make_deformable_system(scene);
  const Momenta before = momenta(solids);
  const Vec3 filtered = march(scene, solids, 120);
  const Momenta after = momenta(solids);
  EXPECT_LT(filtered.norm(), 1e-12);
  EXPECT_LT((after.linear - before.linear).norm(), 1e-10);
  EXPECT_LT((after.angular - before.angular).norm(), 1e-10);
  EXPECT_GT(solids.rigid_bodies[1].state.velocity.x(), 0.5);
  EXPECT_GT(solids.rigid_bodies[1].state.angular_momentum.norm(), 0.05);
}

TEST(RigidContact, a_ball_takes_a_free_sheet_along_and_keeps_momentum) {
  scene::Scene scene = make_space();
  scene.cloths = {test::make_sheet(13, 13, 0.05, {0, 0, 0})};
  scene::RigidBody ball;
  ball.name = "ball";
  ball.mesh = geometry::moved(geometry::make_sphere(6, 0.1), {0.01, 0.02, 0.2});
  ball.density = 500;
  ball.velocity = Vec3(0, 0, -2);
  scene.rigid_bodies = {ball};
  solid::DeformableSystem solids = solid::make_deformable_system(scene);
  const Momenta before = momenta(solids);
  const Vec3 filtered = march(scene, solids, 60);
  const Momenta after = momenta(solids);
  EXPECT_LT((after.linear - before.linear - filtered).norm(), 1e-10);
  const Vec3 centre = solids.rigid_bodies[0].state.world_from_body.translation;
  EXPECT_LT(centre.z(), 0);
  for (std::size_t i = 0; i < scene.cloths[0].mesh.vertices.size(); ++i)
    EXPECT_GT((solids.positions[i] - centre).norm(), 0.95 * 0.1);
  // All of the sheet's middle is before the ball.
  EXPECT_LT(solids.positions[6 * 13 + 6].z(), centre.z());
}

TEST(RigidContact, two_sheets_do_not_pass_through_each_other) {
  scene::Scene scene = make_space();
  scene.cloths = {test::make_sheet(9, 9, 0.05, {0, 0, 0}),
                  test::make_sheet(9, 9, 0.06, {0.013, 0.007, 0.05})};
  scene.cloths[1].name = "other";
  scene.cloths[1].velocity = Vec3(0, 0, -3);
  solid::DeformableSystem solids = solid::make_deformable_system(scene);
  const Momenta before = momenta(solids);
  const Vec3 filtered = march(scene, solids, 60);
  EXPECT_LT((momenta(solids).linear - before.linear - filtered).norm(), 1e-12);
  EXPECT_GT(solids.positions[81 + 40].z(), solids.positions[40].z());
}

}  // namespace
}  // namespace sluice::coupling::rigid_contact_test
