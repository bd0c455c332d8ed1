// SPDX-License-Identifier: Apache-2.0
// Soft bodies through the one door. Oracles: free fall, Hooke's law of a bar, a turned pin's angle,
// the energy that nothing puts in, signed volumes of tetrahedra against particles, the certificate,
// and the same run made another way, bit by bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "solver/certificate/crossing_certificate.h"
#include "tests/unit/solver/simulation_scenes.h"

namespace sluice::soft_body_test {
namespace {

using test::advance;
using test::all_values;
using test::make_block;
using test::make_box;
using test::make_simulation;
using test::positions;
using test::save_and_restore;

scene::Scene make_room() {
  scene::Scene scene;
  scene.domain_lower = Vec3(-0.5, -0.5, 0);
  scene.domain_upper = Vec3(0.5, 0.5, 1);
  return scene;
}

double smallest_volume_ratio(const Simulation& simulation, const scene::SoftBody& body,
                             std::size_t index) {
  geometry::TetMesh mesh{positions(simulation, index), body.mesh.tets};
  double smallest = 1;
  for (const geometry::TetIndices& tet : mesh.tets) {
    smallest =
        std::min(smallest, geometry::signed_volume(geometry::corners_of(mesh, tet)) /
                               geometry::signed_volume(geometry::corners_of(body.mesh, tet)));
  }
  return smallest;
}

TEST(SoftBody, falls_freely_and_keeps_its_shape) {
  scene::Scene scene = make_room();
  scene.soft_bodies = {make_block({-0.1, -0.1, 0.7}, {0.1, 0.1, 0.9}, 0.05, 1e4)};
  scene.soft_bodies[0].velocity = Vec3(0.2, 0, 0);
  scene.coupling.max_substep = 1e-3;
  const auto simulation = make_simulation(scene);
  EXPECT_EQ(simulation->layout().at(0).kind, BodyKind::volume);
  EXPECT_EQ(simulation->layout().at(0).tetrahedra, scene.soft_bodies[0].mesh.tets);
  advance(*simulation, 12);
  const double t = simulation->time();
  const auto now = positions(*simulation, 0);
  // Implicit Euler falls by g t (t + h) / 2.
  const Vec3 moved(0.2 * t, 0, -9.81 * t * (t + 1e-3) / 2);
  for (std::size_t i = 0; i < now.size(); ++i) {
    EXPECT_LT((now[i] - scene.soft_bodies[0].mesh.vertices[i] - moved).norm(), 2e-5);
  }
}

TEST(SoftBody, a_hanging_bar_grows_by_its_weight_over_its_stiffness) {
  // Uniaxial: u = rho g L^2 / (2 E), in a thin bar of nu = 0.
  scene::Scene scene = make_room();
  scene.soft_bodies = {make_block({-0.05, -0.05, 0.3}, {0.05, 0.05, 0.9}, 0.05, 1e5)};
  scene::SoftBody& bar = scene.soft_bodies[0];
  bar.material.poisson_ratio = 0;
  bar.damping = 15;  // Near critical for its first mode, pi/2 sqrt(E/rho) / L = 26/s.
  scene::Pin top{"top", {}};
  for (std::size_t i = 0; i < bar.mesh.vertices.size(); ++i) {
    if (bar.mesh.vertices[i].z() > 0.9 - 1e-9) top.vertices.push_back(static_cast<int>(i));
  }
  bar.pins = {top};
  const auto simulation = make_simulation(scene);
  advance(*simulation, 90);
  const auto now = positions(*simulation, 0);
  double lowest = 1;
  for (const Vec3& x : now)
    lowest = std::min(lowest, x.z());
  const double expected = 1000 * 9.81 * 0.6 * 0.6 / (2 * 1e5);
  EXPECT_NEAR(0.3 - lowest, expected, 0.03 * expected);
}

TEST(SoftBody, rests_on_the_floor_and_gains_no_energy) {
  scene::Scene scene = make_room();
  scene.soft_bodies = {make_block({-0.1, -0.1, 0.05}, {0.1, 0.1, 0.25}, 0.05, 3e4)};
  const auto simulation = make_simulation(scene);
  double energy = std::numeric_limits<double>::infinity();
  double kinetic = 0;
  for (int frame = 0; frame < 120; ++frame) {
    const auto statistics = simulation->advance_frame();
    ASSERT_TRUE(statistics) << statistics.error().message;
    kinetic = statistics.value().kinetic_energy;
    const double now = kinetic + statistics.value().potential_energy;
    // 8 kg at 15 cm: 12 J. Walls take energy; nothing gives any.
    EXPECT_LT(now, energy + 0.01) << "frame " << frame;
    energy = std::min(energy, now);
  }
  EXPECT_LT(kinetic, 0.01);
  for (const Vec3& x : positions(*simulation, 0))
    EXPECT_GT(x.z(), 0);
  EXPECT_GT(smallest_volume_ratio(*simulation, scene.soft_bodies[0], 0), 0.5);
}

TEST(SoftBody, a_turning_pin_twists_a_bar) {
  scene::Scene scene = make_room();
  scene.gravity.setZero();
  scene.soft_bodies = {make_block({-0.05, -0.05, 0.2}, {0.05, 0.05, 0.8}, 0.05, 5e4)};
  scene::SoftBody& bar = scene.soft_bodies[0];
  bar.damping = 5;
  scene::Pin foot{"foot", {}}, head{"head", {}};
  head.angular_velocity = Vec3(0, 0, 1.5);
  for (std::size_t i = 0; i < bar.mesh.vertices.size(); ++i) {
    const double z = bar.mesh.vertices[i].z();
    if (z < 0.2 + 1e-9) foot.vertices.push_back(static_cast<int>(i));
    if (z > 0.8 - 1e-9) head.vertices.push_back(static_cast<int>(i));
  }
  bar.pins = {foot, head};
  const auto simulation = make_simulation(scene);
  advance(*simulation, 60);
  const auto now = positions(*simulation, 0);
  for (const std::int32_t v : head.vertices) {
    const auto i = static_cast<std::size_t>(v);
    const Vec3 turned = Eigen::AngleAxisd(1.5, Vec3::UnitZ()) * bar.mesh.vertices[i];
    EXPECT_LT((now[i] - turned).norm(), 1e-6);
  }
  // Half way up a bar that twists evenly the angle is half of it.
  for (std::size_t i = 0; i < now.size(); ++i) {
    const Vec3& rest = bar.mesh.vertices[i];
    if (std::abs(rest.z() - 0.5) > 1e-9 || std::hypot(rest.x(), rest.y()) < 0.04) continue;
    const double angle = std::atan2(now[i].y(), now[i].x()) - std::atan2(rest.y(), rest.x());
    EXPECT_NEAR(std::remainder(angle, 2 * std::numbers::pi), 0.75, 0.1);
  }
}

/// Water that falls on a block.
scene::Scene make_wet_scene() {
  scene::Scene scene = make_room();
  scene.domain_lower = Vec3(-0.2, -0.2, 0);
  scene.domain_upper = Vec3(0.2, 0.2, 0.6);
  scene.grid.cell_size = 0.025;
  scene.fluids.push_back({"water", {make_box({-0.08, -0.08, 0.3}, {0.08, 0.08, 0.4})}});
  scene.fluids[0].sound_speed = 10;
  scene.coupling.contact_distance = 0.0025;
  scene.soft_bodies = {make_block({-0.1, -0.1, 0.05}, {0.1, 0.1, 0.15}, 0.05, 3e4)};
  return scene;
}

TEST(SoftBody, water_runs_off_it_and_never_in) {
  const scene::Scene scene = make_wet_scene();
  certificate::CrossingCertificate certificate;
  const auto simulation = make_simulation(scene, 1, &certificate);
  advance(*simulation, 45);
  EXPECT_EQ(certificate.crossing_count(), 0);
  const geometry::TetMesh volume{positions(*simulation, 1), scene.soft_bodies[0].mesh.tets};
  for (const Vec3& particle : positions(*simulation, 0)) {
    for (const geometry::TetIndices& tet : volume.tets) {
      const auto [a, b, c, d] = geometry::corners_of(volume, tet);
      const bool is_inside = geometry::signed_volume({particle, b, c, d}) > 0 &&
                             geometry::signed_volume({a, particle, c, d}) > 0 &&
                             geometry::signed_volume({a, b, particle, d}) > 0 &&
                             geometry::signed_volume({a, b, c, particle}) > 0;
      ASSERT_FALSE(is_inside) << particle.transpose();
    }
  }
}

TEST(SoftBody, gives_the_same_bits_on_two_threads_and_after_a_restore) {
  const scene::Scene scene = make_wet_scene();
  const auto undisturbed = make_simulation(scene, 1);
  const auto other = make_simulation(scene, 2);
  ASSERT_TRUE(
      undisturbed->steer(DragBody{"block", {0.1, 0.1, 0.15}, {0.2, 0.1, 0.2}, 0.03, 50, 4}));
  ASSERT_TRUE(other->steer(DragBody{"block", {0.1, 0.1, 0.15}, {0.2, 0.1, 0.2}, 0.03, 50, 4}));
  advance(*undisturbed, 8);
  advance(*other, 3);
  const auto restored = save_and_restore(*other, scene, 2);
  advance(*restored, 5);
  EXPECT_EQ(all_values(*undisturbed), all_values(*restored));
}

}  // namespace
}  // namespace sluice::soft_body_test
