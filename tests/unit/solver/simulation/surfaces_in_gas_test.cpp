// SPDX-License-Identifier: Apache-2.0
// Cloths and soft bodies in a gas in three dimensions, as a whole simulation has them. Oracles:
// Archimedes, the added mass of a ball, and slices in two dimensions (elastic_in_gas_test.cpp).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "solver/geometry/box_tets.h"
#include "tests/unit/solver/same_bits.h"
#include "tests/unit/solver/simulation_scenes.h"
#include "tests/unit/solver/slice_scenes.h"

namespace sluice::surfaces_in_gas_test {
namespace {

using test::acceleration;
using test::advance;
using test::make_simulation;
using test::middle;
using test::positions;

/// In a domain from the origin to `size`, without gravity.
scene::Scene gas_of(const Vec3& size, double cell, double density) {
  scene::Scene scene = test::flat_gas(size.x(), size.z(), cell, density);
  scene.domain_lower = Vec3::Zero();
  scene.domain_upper = size;
  scene.grid.dimensions = 3;
  return scene;
}

/// A stiff ball in a closed box of still gas.
scene::Scene ball(double density) {
  scene::Scene scene = gas_of(Vec3(0.8, 0.8, 0.8), 0.025, 1000);
  scene.gravity = Vec3(0, 0, -10);
  scene.coupling.max_substep = 1e-3;
  scene.frame_rate = 100;
  scene::SoftBody& body = scene.soft_bodies.emplace_back();
  body.name = "ball";
  body.mesh =
      geometry::fill_shape({geometry::Sphere{0.12}, Vec3(0.403, 0.397, 0.41), Mat3::Identity()},
                           0.04, 100'000)
          .value();
  body.density = density;
  body.material.young_modulus = 1e8;
  return scene;
}

TEST(SurfacesInGas, hover_where_they_are_as_dense) {
  const auto simulation = make_simulation(ball(1000), 2);
  const double a = acceleration(*simulation, 10, 100);
  EXPECT_LT(std::abs(a), 1e-3 * 10);
}

TEST(SurfacesInGas, take_gas_along) {
  for (const double ratio : {0.1, 0.5, 2.0, 10.0}) {
    const auto simulation = make_simulation(ball(1000 * ratio), 2);
    const double a = acceleration(*simulation, 3, 100),
                 expected = (1 - ratio) / (ratio + 0.52) * 10;
    EXPECT_NEAR(a, expected, 0.02 * std::abs(expected)) << ratio;
  }
}

/// A bar from wall to wall that hangs from the top, with its end in a jet from the left: the same
/// in two dimensions as a slice.
scene::Scene bar_in_jet(int dimensions) {
  constexpr double cell = 1.0 / 40, depth = 0.2;
  scene::Scene scene = dimensions == 2 ? test::flat_gas(1, 0.8, cell, 1000)
                                       : gas_of(Vec3(1, depth, 0.8), cell, 1000);
  scene.gas->velocity = Vec3(0.2, 0, 0);
  scene.gas->dynamic_viscosity = 0.5;
  scene.grid.sides[0] = {scene::Side::open, scene::Side::open};
  scene::GasSource& jet = scene.gas->sources.emplace_back();
  jet.shape = test::make_box(Vec3(0, -1, 0.2), Vec3(0.1, 1, 0.4));
  jet.content.velocity = Vec3(1, 0, 0);
  scene::ElasticMaterial rubber;
  rubber.young_modulus = 1e6;
  rubber.poisson_ratio = 0;  // No strain across the plane, whether it is held or not.
  if (dimensions == 2) {
    scene.cloths = {test::make_slice(
        "bar", 12, 3, [](double u, double v) { return Vec3(0.35 + 0.1 * v, 0, 0.8 - 0.55 * u); },
        1000, rubber)};
    test::clamp_start(12, 3, scene.cloths[0]);
    scene.cloths[0].wall = scene::WallCondition::no_slip;
    return scene;
  }
  scene::SoftBody& bar = scene.soft_bodies.emplace_back();
  bar.name = "bar";
  bar.mesh = geometry::box_tets({0.05, depth / 2, 0.275}, 0.05, 100'000).value();
  bar.material = rubber;
  bar.wall = scene::WallCondition::no_slip;
  bar.friction = 0;  // At the walls that it reaches.
  scene::Pin& top = bar.pins.emplace_back();
  top.name = "top";
  for (std::size_t i = 0; i < bar.mesh.vertices.size(); ++i) {
    bar.mesh.vertices[i] += Vec3(0.4, depth / 2, 0.525);
    if (bar.mesh.vertices[i].z() > 0.799) top.vertices.push_back(static_cast<std::int32_t>(i));
  }
  return scene;
}

TEST(SurfacesInGas, are_bent_by_a_jet_as_slices) {
  const auto flat = make_simulation(bar_in_jet(2), 2), deep = make_simulation(bar_in_jet(3), 2);
  // Along the jet, of what is lowest: a corner.
  const auto lowest = [](const Simulation& simulation) {
    const auto x = positions(simulation, 1);
    return std::ranges::min_element(x, {}, [](const Vec3& p) { return p.z(); })->x();
  };
  double of_flat = 0, of_deep = 0;  // At most.
  for (int frame = 0; frame < 40; ++frame) {
    advance(*flat, 1);
    advance(*deep, 1);
    of_flat = std::max(of_flat, lowest(*flat) - 0.35);
    of_deep = std::max(of_deep, lowest(*deep) - 0.35);
  }
  EXPECT_GT(of_flat, 0.05);
  EXPECT_NEAR(of_deep, of_flat, 0.05 * of_flat);
}

/// A sheet across a wind that it is too light to stand in.
scene::Scene flag() {
  scene::Scene scene = gas_of(Vec3(0.8, 0.4, 0.6), 0.025, 1.2);
  scene.gravity = Vec3(0, 0, -10);
  scene.coupling.max_substep = 1.0 / 120;
  scene.gas->velocity = Vec3(2, 0, 0);
  scene.gas->dynamic_viscosity = 0.01;
  scene.grid.sides[0][1] = scene::Side::open;
  scene.grid.side_velocities[0][0].velocity = Vec3(2, 0, 0);
  scene.cloths = {test::make_sheet(11, 13, 0.02, Vec3(0.25, 0.2, 0.3))};
  scene::Cloth& cloth = scene.cloths[0];
  for (Vec3& x : cloth.mesh.vertices)
    x = Vec3(0.25, 0.2 + (x.y() - 0.2), 0.3 + (x.x() - 0.25));
  scene::Pin& pin = cloth.pins.emplace_back();
  pin.name = "top";
  for (std::size_t i = 0; i < cloth.mesh.vertices.size(); ++i) {
    if (cloth.mesh.vertices[i].z() > 0.399) pin.vertices.push_back(static_cast<std::int32_t>(i));
  }
  cloth.wall = scene::WallCondition::no_slip;
  return scene;
}

TEST(SurfacesInGas, wave_in_the_wind) {
  const auto simulation = make_simulation(flag(), 2);
  for (int frame = 0; frame < 60; ++frame) {
    const auto statistics = simulation->advance_frame();
    ASSERT_TRUE(statistics) << statistics.error().message;
    EXPECT_LT(statistics.value().pressure_residual, 1e-5);
    EXPECT_LT(statistics.value().pressure_iteration_count, 20 * statistics.value().substep_count);
  }
  EXPECT_GT(middle(*simulation, 1).x(), 0.25 + 0.08) << "blown along";
  EXPECT_GT(middle(*simulation, 1).z(), 0.3 + 0.05) << "and up";
}

TEST(SurfacesInGas, are_the_same_bits_on_two_threads_and_after_a_restore) {
  for (const scene::Scene& scene : {flag(), bar_in_jet(3)})
    test::expect_same_bits(scene, 4, 4);
}

}  // namespace
}  // namespace sluice::surfaces_in_gas_test
