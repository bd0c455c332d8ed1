// SPDX-License-Identifier: Apache-2.0
// Cloths and soft bodies in incompressible liquids, as a whole simulation has them. Oracles:
// Archimedes, Newton's third law, rigid bodies by COUPLING_METHOD_VARIATIONAL_RIGID.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "solver/certificate/crossing_certificate.h"
#include "solver/geometry/tet_surface.h"
#include "tests/unit/solver/same_bits.h"
#include "tests/unit/solver/simulation_scenes.h"

namespace sluice::elastic_in_liquid_test {
namespace {

using test::acceleration;
using test::advance;
using test::make_simulation;
using test::middle;
using test::positions;

constexpr double water_density = 1000;

/// A box from 0 to `size` with water up to `level`.
scene::Scene tank(const Vec3& size, double level, double cell) {
  scene::Scene scene;
  scene.domain_lower = Vec3::Zero();
  scene.domain_upper = size;
  scene.grid.cell_size = cell;
  scene.grid.solver = scene::FluidSolver::incompressible;
  scene.grid.cfl = 2;
  scene.gravity = Vec3(0, 0, -10);
  scene.coupling.method = scene::CouplingMethod::boundary_map;
  scene.coupling.contact_distance = 0.1 * cell;
  scene.solid_solver.integrator = scene::Integrator::newton;
  scene.solid_solver.tolerance = 1e-6;
  scene.fluids.push_back(
      {"water", {test::make_box(Vec3::Zero(), Vec3(size.x(), size.y(), level))}});
  scene.fluids[0].density = water_density;
  scene.fluids[0].dynamic_viscosity = 0;
  return scene;
}

scene::SoftBody ball(const Vec3& middle, double radius, double density, double young_modulus) {
  scene::SoftBody body;
  body.name = "ball";
  body.mesh = geometry::fill_shape({geometry::Sphere{radius}, middle, Mat3::Identity()}, radius / 3,
                                   100'000)
                  .value();
  body.density = density;
  body.material.young_modulus = young_modulus;
  return body;
}

/// The same, as a body that does not deform.
scene::Scene hardened(scene::Scene scene) {
  scene::RigidBody& body = scene.rigid_bodies.emplace_back();
  body.name = "ball";
  body.mesh = geometry::boundary_surface(scene.soft_bodies[0].mesh).mesh;
  body.density = scene.soft_bodies[0].density;
  scene.soft_bodies.clear();
  scene.coupling.method = scene::CouplingMethod::variational_rigid;
  return scene;
}

TEST(ElasticInLiquid, hovers_where_it_is_as_dense) {
  scene::Scene scene = tank(Vec3(0.6, 0.6, 0.7), 0.6, 0.03);
  scene.soft_bodies = {ball(Vec3(0.303, 0.297, 0.31), 0.1, water_density, 1e8)};
  const auto simulation = make_simulation(scene, 2);
  advance(*simulation, 20);
  const double before = middle(*simulation, 1).z();
  constexpr double duration = 1;  // [s]
  advance(*simulation, static_cast<int>(duration * scene.frame_rate));
  const double sunk = before - middle(*simulation, 1).z();
  EXPECT_LT(std::abs(sunk), 0.5 * 1e-3 * 10 * duration * duration);
  // It is pressed together: of E / (3 (1 - 2 nu)), 3 kPa at its depth; with half of its mass of
  // water, that is
  const double bulk = 1e8 / (3 * (1 - 2 * scene.soft_bodies[0].material.poisson_ratio));
  const double sinks = 10 * 2.9e3 / bulk / 1.5;  // [m/s^2]
  EXPECT_LT(std::abs(sunk), 2 * 0.5 * sinks * duration * duration);
}

// A body that is lighter than the liquid in its place does so too: pressure knows what it moves.
TEST(ElasticInLiquid, takes_liquid_along) {
  for (const double ratio : {0.1, 0.5, 2.0, 10.0}) {
    scene::Scene scene = tank(Vec3(0.8, 0.8, 0.9), 0.8, 0.04);
    scene.frame_rate = 200;
    scene.coupling.max_substep = 1.0 / 400;
    scene.soft_bodies = {ball(Vec3(0.403, 0.397, 0.41), 0.12, water_density * ratio, 1e7)};
    const auto soft = make_simulation(scene, 2), hard = make_simulation(hardened(scene), 2);
    const double of_soft = acceleration(*soft, 3, scene.frame_rate),
                 of_hard = acceleration(*hard, 3, scene.frame_rate);
    // (1 - s) / (s + C) g, s the ratio of densities and C the added mass: 1/2 in unbounded liquid,
    // a little more in this tank.
    const double expected = (1 - ratio) / (ratio + 0.52) * 10;
    EXPECT_NEAR(of_soft, expected, 0.02 * std::abs(expected)) << ratio;
    EXPECT_NEAR(of_soft, of_hard, 0.04 * std::abs(expected)) << ratio;
  }
}

/// [N s] Of what weighs `masses` [kg] by point, or each the same.
Vec3 momentum(const Simulation& simulation, std::size_t body, const std::vector<double>& masses) {
  const std::vector<float> v = test::values_of(simulation, body, Field::velocity);
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; 3 * i < v.size(); ++i) {
    const double mass = masses.size() == 1 ? masses[0] : masses[i];
    sum += mass * Vec3(v[3 * i], v[3 * i + 1], v[3 * i + 2]);
  }
  return sum;
}

std::vector<double> masses_of(const scene::SoftBody& body) {
  std::vector<double> masses(body.mesh.vertices.size(), 0);
  for (const geometry::TetIndices& tet : body.mesh.tets) {
    const double mass = body.density * geometry::signed_volume(corners_of(body.mesh, tet));
    for (const std::int32_t vertex : tet)
      masses[static_cast<std::size_t>(vertex)] += mass / 4;
  }
  return masses;
}

// Without gravity, water that meets a ball: nothing but each other holds them.
TEST(ElasticInLiquid, gives_what_it_takes) {
  scene::Scene scene = tank(Vec3(1.2, 0.6, 0.6), 0.6, 0.025);
  scene.gravity.setZero();
  scene.fluids[0].regions = {{geometry::Sphere{0.12}, Vec3(0.25, 0.3, 0.3), Mat3::Identity()}};
  scene.fluids[0].velocity = Vec3(1, 0, 0);
  scene.soft_bodies = {ball(Vec3(0.47, 0.3, 0.28), 0.08, 500, 3e4)};
  scene.output.fields = {Field::velocity};
  const auto simulation = make_simulation(scene, 2);
  const double mass_of_particle = water_density * std::pow(0.0125, 3);
  const std::vector<double> masses_of_ball = masses_of(scene.soft_bodies[0]);
  const auto total = [&] {
    return Vec3(momentum(*simulation, 0, {mass_of_particle}) +
                momentum(*simulation, 1, masses_of_ball));
  };
  const Vec3 before = total();
  advance(*simulation, 30);
  EXPECT_GT(momentum(*simulation, 1, masses_of_ball).x(), 0.06 * before.x());
  EXPECT_LT((total() - before).norm(), 0.02 * before.norm());
}

/// Water on a sheet that is held at the walls, above air.
scene::Scene hammock() {
  scene::Scene scene = tank(Vec3(0.4, 0.4, 0.5), 0.4, 0.025);
  scene.fluids[0].regions = {test::make_box(Vec3(0, 0, 0.21), Vec3(0.4, 0.4, 0.36))};
  scene.cloths = {test::make_sheet(17, 17, 0.025, Vec3(0.2, 0.2, 0.2))};
  scene.cloths[0].pins = {test::make_pin(test::rim(17, 17))};
  scene.cloths[0].shell.emplace();
  scene.cloths[0].shell->material.young_modulus = 1e7;
  return scene;
}

TEST(ElasticInLiquid, a_sheet_holds_water) {
  certificate::CrossingCertificate certificate;
  const auto simulation = make_simulation(hammock(), 2, &certificate);
  double deepest = 1;
  for (int frame = 0; frame < 90; ++frame) {
    const auto statistics = simulation->advance_frame();
    ASSERT_TRUE(statistics) << statistics.error().message;
    EXPECT_GT(statistics.value().smallest_gap, 0);
    double lowest = 1, of_sheet = 1;
    for (const Vec3& x : positions(*simulation, 0))
      lowest = std::min(lowest, x.z());
    for (const Vec3& x : positions(*simulation, 1))
      of_sheet = std::min(of_sheet, x.z());
    EXPECT_GT(lowest, of_sheet);
    deepest = std::min(deepest, of_sheet);
  }
  EXPECT_EQ(certificate.crossing_count(), 0);
  EXPECT_EQ(certificate.jump_count(), 0);
  EXPECT_LT(deepest, 0.17) << "it bears the water's weight";
  EXPECT_GT(deepest, 0.1);
}

/// A ball that rises and a cloth that sinks, both let go in water that flows; by weak coupling, a
/// ball that is heavy enough for it.
scene::Scene mixed_tank(scene::CouplingMethod method) {
  scene::Scene scene = tank(Vec3(0.5, 0.4, 0.5), 0.35, 0.025);
  scene.coupling.method = method;
  scene.fluids[0].velocity = Vec3(0.5, 0, 0);
  const bool is_weak = method == scene::CouplingMethod::weak;
  scene.soft_bodies = {ball(Vec3(0.15, 0.2, 0.12), 0.07, is_weak ? 3000 : 300, 1e6)};
  if (is_weak) return scene;
  scene.cloths = {test::make_sheet(13, 13, 0.02, Vec3(0.3, 0.2, 0.26))};
  scene.cloths[0].area_density = 2;
  return scene;
}

class ElasticInLiquidBy : public testing::TestWithParam<scene::CouplingMethod> {};

TEST_P(ElasticInLiquidBy, lets_nothing_through) {
  certificate::CrossingCertificate certificate;
  const auto simulation = make_simulation(mixed_tank(GetParam()), 2, &certificate);
  const std::size_t particles = positions(*simulation, 0).size();
  std::int64_t stopped = 0, held = 0;
  for (int frame = 0; frame < 40; ++frame) {
    const auto statistics = simulation->advance_frame();
    ASSERT_TRUE(statistics) << statistics.error().message;
    stopped += statistics.value().stopped_count;
    held += statistics.value().contact_count;
    EXPECT_LT(statistics.value().pressure_residual, 1e-5);
  }
  EXPECT_EQ(certificate.crossing_count(), 0);
  EXPECT_EQ(certificate.jump_count(), 0);
  EXPECT_EQ(positions(*simulation, 0).size(), particles);
  EXPECT_GT(held, 100);
  EXPECT_LT(stopped, held / 50);
}

TEST_P(ElasticInLiquidBy, is_the_same_bits_on_two_threads_and_after_a_restore) {
  test::expect_same_bits(mixed_tank(GetParam()), 4, 4);
}

INSTANTIATE_TEST_SUITE_P(, ElasticInLiquidBy,
                         testing::Values(scene::CouplingMethod::boundary_map,
                                         scene::CouplingMethod::weak),
                         [](const auto& method) {
                           return method.param == scene::CouplingMethod::weak ? "Weak"
                                                                              : "BoundaryMap";
                         });

}  // namespace
}  // namespace sluice::elastic_in_liquid_test
