// SPDX-License-Identifier: Apache-2.0
// Elastic bodies in a gas by COUPLING_METHOD_IMMERSED_BOUNDARY, as a whole simulation has them.
// Oracles: Archimedes, the added mass of a disc, areas, and COUPLING_METHOD_BOUNDARY_MAP.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/unit/solver/same_bits.h"
#include "tests/unit/solver/simulation_scenes.h"
#include "tests/unit/solver/slice_scenes.h"

namespace sluice::immersed_boundary_test {
namespace {

using test::acceleration;
using test::advance;
using test::make_simulation;
using test::middle;
using test::positions;

scene::ElasticMaterial rubber(double young_modulus) {
  scene::ElasticMaterial material;
  material.young_modulus = young_modulus;
  material.poisson_ratio = 0.3;
  return material;
}

scene::Scene immersed(scene::Scene scene) {
  scene.coupling.method = scene::CouplingMethod::immersed_boundary;
  for (scene::Cloth& cloth : scene.cloths)
    cloth.wall = scene::WallCondition::no_slip;
  return scene;
}

/// A stiff disc in a closed box of still gas.
scene::Scene disc(double density, double size) {
  scene::Scene scene = test::flat_gas(size, size, 0.0125, 1000);
  scene.gravity = Vec3(0, 0, -10);
  scene.coupling.max_substep = 1e-3;
  scene.frame_rate = 100;
  scene.cloths = {test::make_disc("disc", 8, Vec3(0.5 * size + 0.003, 0, 0.5 * size - 0.004), 0.1,
                                  density, rubber(1e8))};
  return immersed(scene);
}

TEST(ImmersedBoundary, bodies_hover_where_they_are_as_dense) {
  const auto simulation = make_simulation(disc(1000, 0.8), 2);
  EXPECT_LT(std::abs(acceleration(*simulation, 10, 100)), 1e-3 * 10);
  const double before = middle(*simulation, 1).z();
  advance(*simulation, 20);
  EXPECT_LT(std::abs(middle(*simulation, 1).z() - before), 1e-3);
}

// (1 - s) / (s + C) g, s the ratio of densities and C the added mass: 1 in unbounded gas, a little
// more in this box. The disc, 16 cells across, is larger to the flow by less than half a cell: its
// added mass by a sixth.
TEST(ImmersedBoundary, bodies_take_gas_along) {
  for (const double ratio : {0.1, 2.0, 10.0}) {
    const auto simulation = make_simulation(disc(1000 * ratio, 1.6), 2);
    const double a = acceleration(*simulation, 3, 100), added = 10 * (1 - ratio) / a - ratio;
    EXPECT_GT(added, 0.95 * 1.01) << ratio;
    EXPECT_LT(added, 1.2 * 1.01) << ratio;
    RecordProperty("added_mass", std::to_string(added));
  }
}

/// A stiff ball of tetrahedra in a closed box of still gas.
scene::Scene ball(double density) {
  scene::Scene scene = test::flat_gas(0.8, 0.8, 0.025, 1000);
  scene.domain_lower.y() = 0;
  scene.domain_upper.y() = 0.8;
  scene.grid.dimensions = 3;
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
  body.wall = scene::WallCondition::no_slip;
  return immersed(scene);
}

// A ball does the same as a disc; its added mass is 1/2, a little more in this box. This one, 10
// cells across, is larger to the flow by half a cell and more: its added mass by less than a half.
TEST(ImmersedBoundary, soft_bodies_hover_and_take_gas_along) {
  const auto as_dense = make_simulation(ball(1000), 2);
  EXPECT_LT(std::abs(acceleration(*as_dense, 5, 100)), 1e-3 * 10);
  for (const double ratio : {0.2, 3.0}) {
    const auto simulation = make_simulation(ball(1000 * ratio), 2);
    const double a = acceleration(*simulation, 3, 100), added = 10 * (1 - ratio) / a - ratio;
    EXPECT_GT(added, 0.95 * 0.52) << ratio;
    EXPECT_LT(added, 1.5 * 0.52) << ratio;
  }
}

/// [m^2] Of a slice.
double area_of(const scene::Cloth& slice, const std::vector<Vec3>& x) {
  double area = 0;
  for (const auto& [a, b, c] : slice.mesh.triangles) {
    area += 0.5 * (x[static_cast<std::size_t>(b)] - x[static_cast<std::size_t>(a)])
                      .cross(x[static_cast<std::size_t>(c)] - x[static_cast<std::size_t>(a)])
                      .norm();
  }
  return area;
}

// A jelly that a shear of the gas around it has drawn out, and that is then left to itself: it
// becomes round again in gas that sticks to it, and has kept its area all the way.
TEST(ImmersedBoundary, a_drawn_out_disc_becomes_round_and_keeps_its_area) {
  scene::Scene scene = test::flat_gas(1, 1, 1.0 / 64, 1000);
  scene.gas->dynamic_viscosity = 20;
  // A flow to the sides.
  for (const double side : {0.0, 1.0}) {
    scene::GasSource& source = scene.gas->sources.emplace_back();
    source.shape = test::make_box(Vec3(0.5 * side, -1, 0.3), Vec3(0.5 + 0.5 * side, 1, 0.7));
    source.content.velocity = Vec3(side > 0 ? 0.5 : -0.5, 0, 0);
    source.open.stop = 0.2;
  }
  scene.cloths = {test::make_disc("jelly", 10, Vec3(0.5, 0, 0.5), 0.15, 1000, rubber(2e4))};
  scene.frame_rate = 30;
  const auto simulation = make_simulation(immersed(scene), 2);
  const double area = area_of(scene.cloths[0], positions(*simulation, 1));
  const auto stretch = [&] {
    Vec3 lower = Vec3::Constant(9), upper = Vec3::Constant(-9);
    for (const Vec3& x : positions(*simulation, 1)) {
      lower = lower.cwiseMin(x);
      upper = upper.cwiseMax(x);
    }
    return (upper.x() - lower.x()) / (upper.z() - lower.z());
  };
  double most = 0;
  for (int frame = 0; frame < 90; ++frame) {
    advance(*simulation, 1);
    most = std::max(most, stretch());
    EXPECT_NEAR(area_of(scene.cloths[0], positions(*simulation, 1)), area, 0.02 * area);
  }
  EXPECT_GT(most, 1.1) << "it was drawn out";
  EXPECT_NEAR(stretch(), 1, 0.02);
  RecordProperty("most", std::to_string(most));
  RecordProperty("stretch", std::to_string(stretch()));
}

/// A bar that hangs from the top, with its end in a jet from the left.
scene::Scene bar_in_jet(double cells_a_metre) {
  scene::Scene scene = test::flat_gas(1, 0.8, 1 / cells_a_metre, 1000);
  scene.gas->velocity = Vec3(0.2, 0, 0);
  scene.gas->dynamic_viscosity = 2;
  scene.grid.sides[0] = {scene::Side::open, scene::Side::open};
  scene::GasSource& jet = scene.gas->sources.emplace_back();
  jet.shape = test::make_box(Vec3(0, -1, 0.2), Vec3(0.1, 1, 0.4));
  jet.content.velocity = Vec3(0.6, 0, 0);
  scene.cloths = {test::make_slice(
      "bar", 12, 3, [](double u, double v) { return Vec3(0.35 + 0.1 * v, 0, 0.8 - 0.55 * u); },
      1000, rubber(1e6))};
  test::clamp_start(12, 3, scene.cloths[0]);
  scene.cloths[0].wall = scene::WallCondition::no_slip;
  return scene;
}

// The mean over four seconds, from one second after the start on: the bar still swings, and a mean
// over one swing or two depends on where they begin.
double deflection(const scene::Scene& scene) {
  const auto simulation = make_simulation(scene, 2);
  const double start = middle(*simulation, 1).x();
  advance(*simulation, 60);
  double sum = 0;
  constexpr int frames = 240;
  for (int frame = 0; frame < frames; ++frame) {
    advance(*simulation, 1);
    sum += middle(*simulation, 1).x() - start;
  }
  return sum / frames;
}

TEST(ImmersedBoundary, a_jet_bends_a_bar_as_with_the_boundary_map) {
  const double expected = deflection(bar_in_jet(60)), coarse = deflection(immersed(bar_in_jet(30))),
               fine = deflection(immersed(bar_in_jet(60)));
  RecordProperty("expected", std::to_string(expected));
  RecordProperty("coarse", std::to_string(coarse));
  RecordProperty("fine", std::to_string(fine));
  EXPECT_NEAR(fine, expected, 0.15 * expected);
  EXPECT_NEAR(coarse, expected, 0.15 * expected);
}

// In steps of the flow alone.
TEST(ImmersedBoundary, light_and_stiff_bodies_stay_calm) {
  scene::Scene scene = immersed(bar_in_jet(40));
  scene.cloths[0].area_density *= 0.1;
  scene.cloths[0].shell->material.young_modulus = 1e7;
  const auto simulation = make_simulation(scene, 2);
  const auto start = positions(*simulation, 1);
  int substeps = 0;
  for (int frame = 0; frame < 30; ++frame) {
    const auto statistics = simulation->advance_frame();
    ASSERT_TRUE(statistics) << statistics.error().message;
    substeps += static_cast<int>(statistics.value().substep_count);
    EXPECT_LT(statistics.value().pressure_residual, 1e-5);
    const auto x = positions(*simulation, 1);
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_LT((x[i] - start[i]).norm(), 0.05);
  }
  EXPECT_LT(substeps, 120);
}

/// A sheet across a wind that it is too light to stand in.
scene::Scene flag() {
  scene::Scene scene = test::flat_gas(0.8, 0.6, 0.025, 1.2);
  scene.domain_lower = Vec3::Zero();
  scene.domain_upper = Vec3(0.8, 0.4, 0.6);
  scene.grid.dimensions = 3;
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
  return immersed(scene);
}

TEST(ImmersedBoundary, cloths_wave_in_the_wind) {
  const auto simulation = make_simulation(flag(), 2);
  for (int frame = 0; frame < 60; ++frame) {
    const auto statistics = simulation->advance_frame();
    ASSERT_TRUE(statistics) << statistics.error().message;
    EXPECT_LT(statistics.value().pressure_residual, 1e-5);
  }
  EXPECT_GT(middle(*simulation, 1).x(), 0.25 + 0.08) << "blown along";
  EXPECT_GT(middle(*simulation, 1).z(), 0.3 + 0.05) << "and up";
}

TEST(ImmersedBoundary, is_the_same_bits_on_two_threads_and_after_a_restore) {
  test::expect_same_bits(flag(), 3, 3);
  test::expect_same_bits(immersed(bar_in_jet(30)), 4, 4);
}

}  // namespace
}  // namespace sluice::immersed_boundary_test
