// SPDX-License-Identifier: Apache-2.0
// Rigid bodies with cloths and soft bodies in one incompressible liquid. Oracles: the same bodies
// alone; Archimedes; Newton's third law.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "solver/certificate/crossing_certificate.h"
#include "solver/geometry/tessellate_shape.h"
#include "solver/geometry/tet_surface.h"
#include "tests/unit/solver/same_bits.h"
#include "tests/unit/solver/simulation_scenes.h"

namespace sluice::bodies_in_liquid_test {
namespace {

using test::advance;
using test::make_simulation;
using test::middle;
using test::positions;

constexpr double water_density = 1000, g = 10;

scene::Scene tank(const Vec3& size, double level, double cell) {
  scene::Scene scene;
  scene.domain_lower = Vec3::Zero();
  scene.domain_upper = size;
  scene.grid.cell_size = cell;
  scene.grid.solver = scene::FluidSolver::incompressible;
  scene.grid.cfl = 2;
  scene.gravity = Vec3(0, 0, -g);
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

scene::SoftBody rubber_ball(const Vec3& middle, double radius, double density) {
  scene::SoftBody body;
  body.name = "rubber";
  body.mesh = geometry::fill_shape({geometry::Sphere{radius}, middle, Mat3::Identity()}, radius / 3,
                                   100'000)
                  .value();
  body.density = density;
  body.material.young_modulus = 1e6;
  return body;
}

scene::RigidBody stone(const geometry::Shape& shape, double edge, double density) {
  scene::RigidBody body;
  body.name = "stone";
  body.mesh = geometry::tessellate_shape(shape, edge, 100'000).value();
  body.density = density;
  return body;
}

geometry::Shape sphere(const Vec3& middle, double radius) {
  return {geometry::Sphere{radius}, middle, Mat3::Identity()};
}

scene::Cloth held_sheet(int n, double width, const Vec3& middle, double young_modulus) {
  scene::Cloth sheet = test::make_sheet(n, n, width / (n - 1), middle);
  sheet.pins = {test::make_pin(test::rim(n, n))};
  sheet.shell.emplace();
  sheet.shell->material.young_modulus = young_modulus;
  return sheet;
}

/// [m/s^2] Upwards, of a body: over two frames before and two after `frame`.
double acceleration_of(Simulation& simulation, std::size_t body, int frame, double frame_rate) {
  std::array<double, 3> z{};
  advance(simulation, frame - 2);
  for (double& height : z) {
    height = middle(simulation, body).z();
    advance(simulation, 2);
  }
  return (z[2] - 2 * z[1] + z[0]) * frame_rate * frame_rate / 4;
}

TEST(BodiesInLiquid, a_sheet_far_away_changes_nothing_for_a_ball) {
  for (const double ratio : {0.2, 5.0}) {
    scene::Scene scene = tank(Vec3(0.8, 0.8, 0.9), 0.8, 0.04);
    scene.frame_rate = 200;
    scene.coupling.max_substep = 1.0 / 400;
    scene.rigid_bodies = {stone(sphere({0.403, 0.397, 0.41}, 0.12), 0.03, ratio * water_density)};
    scene::Scene alone = scene;
    alone.coupling.method = scene::CouplingMethod::variational_rigid;
    scene.cloths = {test::make_sheet(5, 5, 0.03, Vec3(0.12, 0.12, 0.12))};
    scene.cloths[0].area_density = 1;
    const auto both = make_simulation(scene, 2), one = make_simulation(alone, 2);
    const double with_sheet = acceleration_of(*both, 2, 3, scene.frame_rate),
                 without = acceleration_of(*one, 1, 3, scene.frame_rate);
    EXPECT_NEAR(with_sheet, without, 0.01 * std::abs(without)) << ratio;
    const double expected = (1 - ratio) / (ratio + 0.52) * g;
    EXPECT_NEAR(with_sheet, expected, 0.05 * std::abs(expected)) << ratio;
  }
}

TEST(BodiesInLiquid, hover_side_by_side_where_they_are_as_dense) {
  scene::Scene scene = tank(Vec3(0.6, 0.4, 0.44), 0.4, 0.04);
  scene.soft_bodies = {rubber_ball(Vec3(0.181, 0.197, 0.2), 0.09, water_density)};
  scene.soft_bodies[0].material.young_modulus = 1e8;
  scene.rigid_bodies = {stone(sphere({0.393, 0.201, 0.19}, 0.09), 0.03, water_density)};
  const auto simulation = make_simulation(scene, 2);
  advance(*simulation, 5);
  const Vec3 soft = middle(*simulation, 1), hard = middle(*simulation, 2);
  constexpr double duration = 0.5;  // [s]
  advance(*simulation, static_cast<int>(duration * scene.frame_rate));
  EXPECT_LT((middle(*simulation, 1) - soft).norm(), 0.5 * 2e-3 * g * duration * duration);
  EXPECT_LT((middle(*simulation, 2) - hard).norm(), 0.5 * 2e-3 * g * duration * duration);
}

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

double mass_of(const scene::RigidBody& body) {
  double volume = 0;
  const auto& x = body.mesh.vertices;
  for (const auto& [i, j, k] : body.mesh.triangles) {
    volume += x[static_cast<std::size_t>(i)].dot(
                  x[static_cast<std::size_t>(j)].cross(x[static_cast<std::size_t>(k)])) /
              6;
  }
  return body.density * volume;
}

// Without gravity, water that meets two balls: nothing but each other holds them.
TEST(BodiesInLiquid, give_what_they_take) {
  scene::Scene scene = tank(Vec3(1.2, 0.6, 0.6), 0.6, 0.025);
  scene.gravity.setZero();
  scene.fluids[0].regions = {sphere(Vec3(0.25, 0.3, 0.3), 0.13)};
  scene.fluids[0].velocity = Vec3(1, 0, 0);
  scene.soft_bodies = {rubber_ball(Vec3(0.45, 0.24, 0.28), 0.06, 500)};
  scene.rigid_bodies = {stone(sphere({0.45, 0.38, 0.32}, 0.06), 0.02, 700)};
  scene.output.fields = {Field::velocity};
  const auto simulation = make_simulation(scene, 2);
  const std::vector<double> of_soft = masses_of(scene.soft_bodies[0]);
  const double mass = mass_of(scene.rigid_bodies[0]);
  const auto of_hard = [&] {  // Points of a ball, all around it.
    const auto count = static_cast<double>(scene.rigid_bodies[0].mesh.vertices.size());
    return momentum(*simulation, 2, {mass / count});
  };
  const auto total = [&] {
    return Vec3(momentum(*simulation, 0, {water_density * std::pow(0.0125, 3)}) +
                momentum(*simulation, 1, of_soft) + of_hard());
  };
  const Vec3 before = total();
  advance(*simulation, 30);
  EXPECT_GT(momentum(*simulation, 1, of_soft).x(), 0.02 * before.x());
  EXPECT_GT(of_hard().x(), 0.02 * before.x());
  EXPECT_LT((total() - before).norm(), 0.03 * before.norm());
}

/// A box that falls into water, and through it onto a sheet.
scene::Scene net() {
  scene::Scene scene = tank(Vec3(0.5, 0.5, 0.625), 0.375, 0.03125);
  scene.cloths = {held_sheet(17, 0.5, Vec3(0.25, 0.25, 0.15), 2e6)};
  scene.rigid_bodies = {stone(test::make_box({0.17, 0.19, 0.40}, {0.33, 0.31, 0.50}), 0.05, 2500)};
  return scene;
}

/// A ball of rubber and one that is rigid, afloat, above a sheet in the water.
scene::Scene afloat() {
  scene::Scene scene = tank(Vec3(0.5, 0.5, 0.625), 0.375, 0.03125);
  scene.cloths = {held_sheet(17, 0.5, Vec3(0.25, 0.25, 0.15), 2e6)};
  scene.soft_bodies = {rubber_ball(Vec3(0.35, 0.25, 0.31), 0.075, 400)};
  scene.rigid_bodies = {stone(sphere({0.15, 0.25, 0.29}, 0.075), 0.03, 400)};
  return scene;
}

struct Outcome {
  std::int64_t stopped = 0, held = 0;
};

Outcome run_without_a_leak(const scene::Scene& scene, Simulation& simulation, int frames,
                           const certificate::CrossingCertificate& certificate) {
  const std::size_t particles = positions(simulation, 0).size();
  Outcome outcome;
  for (int frame = 0; frame < frames; ++frame) {
    const auto statistics = simulation.advance_frame();
    EXPECT_TRUE(statistics) << statistics.error().message;
    if (!statistics) return outcome;
    outcome.stopped += statistics.value().stopped_count;
    outcome.held += statistics.value().contact_count;
    EXPECT_GT(statistics.value().smallest_gap, 0);
    EXPECT_LT(statistics.value().pressure_residual, 10 * scene.grid.pressure.tolerance);
  }
  EXPECT_EQ(certificate.crossing_count(), 0);
  EXPECT_EQ(certificate.jump_count(), 0);
  EXPECT_EQ(positions(simulation, 0).size(), particles);
  return outcome;
}

TEST(BodiesInLiquid, a_net_under_water_catches_a_box) {
  certificate::CrossingCertificate certificate;
  const auto simulation = make_simulation(net(), 2, &certificate);
  const Outcome outcome = run_without_a_leak(net(), *simulation, 60, certificate);
  EXPECT_LT(outcome.stopped, outcome.held / 20);
  const std::vector<Vec3> sheet = positions(*simulation, 1), box = positions(*simulation, 2);
  double lowest = 1, deepest = 1;
  for (const Vec3& x : box)
    lowest = std::min(lowest, x.z());
  for (const Vec3& x : sheet)
    deepest = std::min(deepest, x.z());
  EXPECT_LT(middle(*simulation, 2).z(), 0.25) << "it has sunk";
  EXPECT_GT(lowest, deepest - 0.01) << "and lies in the sheet";
  EXPECT_GT(deepest, 0.02);
  EXPECT_LT(deepest, 0.148);
}

TEST(BodiesInLiquid, what_floats_stays_above_a_sheet) {
  certificate::CrossingCertificate certificate;
  const auto simulation = make_simulation(afloat(), 2, &certificate);
  const Outcome outcome = run_without_a_leak(afloat(), *simulation, 45, certificate);
  EXPECT_LT(outcome.stopped, outcome.held / 20);
  // With 0.4 of the density of water a ball swims with its middle 0.13 radii above the level.
  for (const std::size_t body : {2U, 3U}) {
    EXPECT_GT(middle(*simulation, body).z(), 0.34) << body;
    EXPECT_LT(middle(*simulation, body).z(), 0.45) << body;
  }
}

TEST(BodiesInLiquid, are_the_same_bits_on_two_threads_and_after_a_restore) {
  test::expect_same_bits(net(), 6, 6);
}

}  // namespace
}  // namespace sluice::bodies_in_liquid_test
