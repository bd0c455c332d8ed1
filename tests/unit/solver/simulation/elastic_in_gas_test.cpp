// SPDX-License-Identifier: Apache-2.0
// Elastic bodies in a gas in two dimensions, as a whole simulation has them. Oracles: Archimedes,
// the added mass of a disc, Euler's and Bernoulli's beam. Turek and Hron's benchmark is
// tests/validation/coupling/turek_hron_fsi_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "tests/unit/solver/same_bits.h"
#include "tests/unit/solver/simulation_scenes.h"
#include "tests/unit/solver/slice_scenes.h"

namespace sluice::elastic_in_gas_test {
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

/// A bar that hangs from the top, with its end in a jet from the left.
scene::Scene bar_in_jet() {
  scene::Scene scene = test::flat_gas(1, 0.8, 1.0 / 40, 1000);
  scene.gas->velocity = Vec3(0.2, 0, 0);
  scene.gas->dynamic_viscosity = 0.5;
  scene.output.fields = {Field::velocity, Field::pressure};
  scene.grid.sides[0] = {scene::Side::open, scene::Side::open};
  scene::GasSource& jet = scene.gas->sources.emplace_back();
  jet.shape = test::make_box(Vec3(0, -1, 0.2), Vec3(0.1, 1, 0.4));
  jet.content.velocity = Vec3(1, 0, 0);
  scene.cloths = {test::make_slice(
      "bar", 12, 3, [](double u, double v) { return Vec3(0.35 + 0.1 * v, 0, 0.8 - 0.55 * u); },
      1000, rubber(1e6))};
  test::clamp_start(12, 3, scene.cloths[0]);
  scene.cloths[0].wall = scene::WallCondition::no_slip;
  return scene;
}

TEST(ElasticInGas, is_bent_by_a_jet) {
  const auto simulation = make_simulation(bar_in_jet(), 2);
  double furthest = 0;
  for (int frame = 0; frame < 60; ++frame) {
    const auto statistics = simulation->advance_frame();
    ASSERT_TRUE(statistics) << statistics.error().message;
    EXPECT_LT(statistics.value().pressure_residual, 1e-5);
    for (const Vec3& x : positions(*simulation, 1)) {
      furthest = std::max(furthest, x.x());
      ASSERT_NEAR(x.y(), 0, 1e-12) << "in its plane";
    }
  }
  EXPECT_GT(furthest, 0.48);
  EXPECT_LT(furthest, 0.95);
}

TEST(ElasticInGas, is_the_same_bits_on_two_threads_and_after_a_restore) {
  test::expect_same_bits(bar_in_jet(), 6, 5);
}

/// A stiff disc in a closed box of still gas.
scene::Scene disc(double density, double size) {
  scene::Scene scene = test::flat_gas(size, size, 0.0125, 1000);
  scene.gravity = Vec3(0, 0, -10);
  scene.coupling.max_substep = 1e-3;
  scene.frame_rate = 100;
  scene.cloths = {test::make_disc("disc", 8, Vec3(0.5 * size + 0.003, 0, 0.5 * size - 0.004), 0.1,
                                  density, rubber(1e8))};
  return scene;
}

TEST(ElasticInGas, hovers_where_it_is_as_dense) {
  const auto simulation = make_simulation(disc(1000, 0.8), 2);
  // At the start a disc has no stress: until it bears its weight, it sinks.
  EXPECT_LT(std::abs(acceleration(*simulation, 10, 100)), 1e-3 * 10);
  const double before = middle(*simulation, 1).z();
  advance(*simulation, 30);
  EXPECT_LT(std::abs(middle(*simulation, 1).z() - before), 3e-3) << "sinks as it did at the start";
}

// (1 - s) / (s + C) g, s the ratio of densities and C the added mass: 1 in unbounded gas, a little
// more in this box.
TEST(ElasticInGas, takes_gas_along) {
  for (const double ratio : {0.1, 0.5, 2.0, 10.0}) {
    const auto simulation = make_simulation(disc(1000 * ratio, 2), 2);
    const double a = acceleration(*simulation, 3, 100),
                 expected = (1 - ratio) / (ratio + 1.01) * 10;
    EXPECT_NEAR(a, expected, 0.02 * std::abs(expected)) << ratio;
  }
}

// A light body, as stiff as rubber: gas that answers it a step late throws it further in each.
TEST(ElasticInGas, stays_calm_where_weak_coupling_does_not) {
  const auto largest_way = [](scene::CouplingMethod method) {
    scene::Scene scene = bar_in_jet();
    scene.coupling.method = method;
    scene.cloths[0].area_density *= 0.1;
    const auto simulation = make_simulation(scene, 2);
    const auto start = positions(*simulation, 1);
    double most = 0;
    for (int frame = 0; frame < 12; ++frame) {
      if (!simulation->advance_frame()) return 1e9;
      const auto x = positions(*simulation, 1);
      for (std::size_t i = 0; i < x.size(); ++i)
        most = std::max(most, (x[i] - start[i]).norm());
    }
    return most;
  };
  EXPECT_LT(largest_way(scene::CouplingMethod::boundary_map), 0.2);
  EXPECT_GT(largest_way(scene::CouplingMethod::weak), 0.5);
}

// Gas that is squeezed out between two discs slows them; contact, in the plane, does the rest.
TEST(ElasticInGas, meet_each_other) {
  scene::Scene scene = test::flat_gas(1, 0.8, 0.02, 1);
  scene.coupling.max_substep = 2e-3;
  scene.cloths = {
      test::make_disc("left", 8, Vec3(0.35, 0, 0.4), 0.1, 1000, rubber(1e6)),
      test::make_disc("right", 8, Vec3(0.65, 0, 0.41), 0.1, 1000, rubber(1e6)),
  };
  scene.cloths[0].velocity = Vec3(1, 0, 0);
  scene.cloths[1].velocity = Vec3(-1, 0, 0);
  const auto simulation = make_simulation(scene, 2);
  double least = 1;
  for (int frame = 0; frame < 20; ++frame) {
    const auto statistics = simulation->advance_frame();
    ASSERT_TRUE(statistics) << statistics.error().message;
    for (const Vec3& a : positions(*simulation, 1)) {
      for (const Vec3& b : positions(*simulation, 2))
        least = std::min(least, (a - b).norm());
    }
    EXPECT_GT(middle(*simulation, 2).x() - middle(*simulation, 1).x(), 0.16);
  }
  EXPECT_LT(least, 0.02) << "they did meet";
  EXPECT_GT(least, 1e-4);
  // Bodies of rubber give their energy back, but for what contact takes.
  EXPECT_GT(middle(*simulation, 2).x() - middle(*simulation, 1).x(), 0.2);
}

// In next to no gas, a beam swings as one.
TEST(ElasticInGas, swings_in_thin_gas_as_a_beam) {
  scene::Scene scene = test::flat_gas(1, 1, 1.0 / 32, 0.01);
  constexpr double length = 0.6, width = 0.05, density = 1000, modulus = 1e6, nu = 0.3;
  constexpr int nx = 48, nz = 4;
  scene.coupling.max_substep = 6e-3;
  scene.cloths = {test::make_slice(
      "beam", nx, nz,
      [&](double u, double v) { return Vec3(0.2 + length * u, 0, 0.5 + width * (v - 0.5)); },
      density, rubber(modulus))};
  test::clamp_start(nx, nz, scene.cloths[0]);
  scene.cloths[0].velocity = Vec3(0, 0, 0.02);
  const auto simulation = make_simulation(scene, 2);
  const std::size_t tip = nx + (nx + 1) * (nz / 2);
  std::vector<double> crossings;
  double before = 0, first = 0, last = 0, most = 0;
  for (int frame = 1; frame <= 420; ++frame) {
    advance(*simulation, 1);
    const double z = positions(*simulation, 1)[tip].z() - 0.5;
    if (before > 0 && z <= 0)
      crossings.push_back((frame - 1 + before / (before - z)) / scene.frame_rate);
    most = std::max(most, z);
    if (before > 0 && z <= 0) {
      if (first == 0) first = most;
      last = most;
      most = 0;
    }
    before = z;
  }
  ASSERT_GT(crossings.size(), 3U);
  const double period =
      (crossings.back() - crossings.front()) / static_cast<double>(crossings.size() - 1);
  const double stiffness = modulus / (1 - nu * nu) * width * width / 12;  // E' I / A
  const double w = 1.8751 * 1.8751 / (length * length) * std::sqrt(stiffness / density);
  EXPECT_NEAR(period, 2 * std::numbers::pi / w, 0.03 * period);
  EXPECT_GT(last, 0.85 * first) << "the theta rule keeps it going";
}

}  // namespace
}  // namespace sluice::elastic_in_gas_test
