// SPDX-License-Identifier: Apache-2.0
// Slices of elastic bodies in incompressible liquids in two dimensions, as a whole simulation has
// them. Oracles: Archimedes, potential flow, the theory of plates, Newton's third law.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "solver/geometry/tessellate_shape.h"
#include "tests/unit/solver/same_bits.h"
#include "tests/unit/solver/simulation_scenes.h"
#include "tests/unit/solver/slice_scenes.h"

namespace sluice::slices_in_liquid_test {
namespace {

using test::advance;
using test::make_simulation;
using test::middle;
using test::positions;

constexpr double water_density = 1000, g = 10;

/// From the origin to (width, ., height), with water up to `level`.
scene::Scene flat_tank(double width, double height, double level, double cell) {
  scene::Scene scene = test::flat_gas(width, height, cell, 1);
  scene.gas.reset();
  scene.gravity = Vec3(0, 0, -g);
  scene.grid.solver = scene::FluidSolver::incompressible;
  scene.coupling.max_substep = scene::Coupling{}.max_substep;
  scene.fluids.push_back({"water", {test::make_box(Vec3(0, -1, 0), Vec3(width, 1, level))}});
  scene.fluids[0].density = water_density;
  scene.fluids[0].dynamic_viscosity = 0;
  return scene;
}

scene::ElasticMaterial rubber(double young_modulus) {
  scene::ElasticMaterial material;
  material.young_modulus = young_modulus;
  material.poisson_ratio = 0.3;
  return material;
}

/// A slice of a rectangle around `centre`, turned by `angle`.
scene::Cloth plank(const char* name, const Vec3& centre, double length, double thickness,
                   double angle, double density, double young_modulus) {
  const auto nx = static_cast<int>(std::lround(length / thickness)) * 2;
  return test::make_slice(
      name, nx, 2,
      [&](double u, double v) {
        const double x = (u - 0.5) * length, z = (v - 0.5) * thickness;
        return Vec3(centre + Vec3(std::cos(angle) * x - std::sin(angle) * z, 0,
                                  std::sin(angle) * x + std::cos(angle) * z));
      },
      density, rubber(young_modulus));
}

// Wherever it is between the cells. A disc that is soft loses 3e-4 of its volume; what is thinner
// than a cell may drift more.
TEST(SlicesInLiquid, hover_where_they_are_as_dense) {
  constexpr double cell = 0.02;
  for (const double shift : {0.0, 0.3, 0.7}) {
    const Vec3 centre(0.4 + shift * cell, 0, 0.3 + shift * cell);
    for (const scene::Cloth& body :
         {plank("sheet", centre, 0.24, 0.4 * cell, 0.1, water_density, 1e8),
          plank("strip", centre, 0.24, 0.8 * cell, 0.1, water_density, 1e8),
          plank("plank", centre, 0.24, 3.4 * cell, 0.5, water_density, 1e8),
          test::make_disc("disc", 8, centre, 0.1, water_density, rubber(1e7))}) {
      scene::Scene scene = flat_tank(0.8, 0.7, 0.6, cell);
      scene.cloths = {body};
      const auto simulation = make_simulation(scene, 2);
      advance(*simulation, 5);
      const Vec3 before = middle(*simulation, 1);
      constexpr double duration = 0.25;  // [s]
      advance(*simulation, static_cast<int>(duration * scene.frame_rate));
      const Vec3 moved = middle(*simulation, 1) - before;
      const double part = body.name == "plank" || body.name == "disc" ? 1e-3 : 2e-3;
      EXPECT_LT(moved.norm(), 0.5 * part * g * duration * duration) << body.name << ' ' << shift;
    }
  }
}

// A disc of radius a in the middle of a square of width L that is full of water moves as much as
// its own area with it, and more for the walls: these are a lattice of images, of alternating sign
// across the axis of motion, whose flow at the disc is e = -S (a/L)^2 of what would be that of its
// own speed, with S = sum (-1)^k (k^2 - i^2) / r^4 over r = (i, k) != 0. It is against the disc's,
// whose strength grows to 1 / (1 - e): then C = 2 / (1 - e) - 1.
TEST(SlicesInLiquid, take_liquid_along) {
  constexpr double images = 3.4376, size = 0.8, cell = size / 40, radius = 6 * cell;
  const double added = 2 / (1 - images * std::pow(radius / size, 2)) - 1;
  for (const double ratio : {0.1, 0.5, 2.0, 10.0}) {
    scene::Scene scene = flat_tank(size, size, size, cell);
    scene.frame_rate = 400;
    scene.coupling.max_substep = 1.1 / 400;  // One in each frame, whatever is rounded.
    scene.cloths = {test::make_disc("disc", 8, Vec3(0.403, 0, 0.397), radius, water_density * ratio,
                                    rubber(1e8))};
    const auto simulation = make_simulation(scene, 2);
    const double found = test::acceleration(*simulation, 3, scene.frame_rate);
    const double expected = (1 - ratio) / (ratio + added) * g;
    EXPECT_NEAR(found, expected, 0.01 * std::abs(expected)) << ratio;
  }
}

/// From wall to wall, `rows` rows thick, and held there.
scene::Cloth clamped_plate(double length, double bottom, double thickness, int rows, double density,
                           double young_modulus) {
  const int nx = 10 * rows;
  scene::Cloth plate = test::make_slice(
      "plate", nx, rows,
      [&](double u, double v) { return Vec3(u * length, 0, bottom + v * thickness); }, density,
      rubber(young_modulus));
  scene::Pin clamp;
  clamp.name = "clamp";
  for (std::int32_t j = 0; j <= rows; ++j) {
    clamp.vertices.push_back(j * (nx + 1));
    clamp.vertices.push_back(j * (nx + 1) + nx);
  }
  plate.pins = {clamp};
  return plate;
}

double lowest(const Simulation& simulation, std::size_t body) {
  double least = 1;
  for (const Vec3& x : positions(simulation, body))
    least = std::min(least, x.z());
  return least;
}

// Clamped at both ends: w = q L^4 / (384 D) + q L^2 / (8 k G t), D that of plane strain, of which
// triangles that do not bend leave 0.967; and the same plate under its own weight, in thin air.
TEST(SlicesInLiquid, a_plate_bears_a_column_of_water) {
  constexpr double length = 0.8, thickness = 0.06, cell = 0.02, level = 0.6, bottom = 0.2;
  constexpr double E = 4e7, nu = 0.3, height = level - bottom - thickness;
  const auto sag = [&](scene::Scene scene, double density) {
    scene.cloths = {clamped_plate(length, bottom, thickness, 8, density, E)};
    scene.cloths[0].shell->material.stiffness_damping = 0.02;
    const auto simulation = make_simulation(scene, 2);
    advance(*simulation, 45);
    return bottom - lowest(*simulation, 1);
  };
  scene::Scene wet = flat_tank(length, level + 0.1, level, cell);
  wet.fluids[0].regions = {
      test::make_box(Vec3(0, -0.005, bottom + thickness + 0.1 * cell), Vec3(length, 0.005, level))};
  scene::Scene dry = test::flat_gas(length, level + 0.1, cell, 1e-3);
  dry.gravity = Vec3(0, 0, -g);
  dry.grid.sides[2] = {scene::Side::open, scene::Side::open};
  const double under_water = sag(wet, 1);
  const double q = water_density * g * height;
  const double D = E * std::pow(thickness, 3) / (12 * (1 - nu * nu)), G = E / (2 * (1 + nu));
  const double expected =
      q * std::pow(length, 4) / (384 * D) + q * length * length / (8 * 5.0 / 6 * G * thickness);
  EXPECT_NEAR(under_water, expected, 0.04 * expected);
  const double of_its_weight = sag(dry, water_density * height / thickness);
  EXPECT_NEAR(under_water, of_its_weight, 0.005 * of_its_weight);
}

// A third of a cell thick.
TEST(SlicesInLiquid, a_thin_strip_holds_water) {
  scene::Scene scene = flat_tank(0.4, 0.4, 0.3, 0.02);
  scene.fluids[0].regions = {test::make_box(Vec3(0, -0.005, 0.13), Vec3(0.4, 0.005, 0.3))};
  scene.cloths = {clamped_plate(0.4, 0.12, 0.006, 2, 1000, 1e9)};
  const auto simulation = make_simulation(scene, 2);
  for (int frame = 0; frame < 40; ++frame) {
    advance(*simulation, 1);
    EXPECT_GT(lowest(*simulation, 0), lowest(*simulation, 1)) << frame;
  }
  EXPECT_LT(lowest(*simulation, 1), 0.1195) << "it bears the water's weight";
}

/// [N s] Of what weighs `masses` [kg] by point, or each the same.
Vec3 momentum(const Simulation& simulation, std::size_t body, const std::vector<double>& masses) {
  const std::vector<float> v = test::values_of(simulation, body, Field::velocity);
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; 3 * i < v.size(); ++i)
    sum += masses[masses.size() == 1 ? 0 : i] * Vec3(v[3 * i], v[3 * i + 1], v[3 * i + 2]);
  return sum;
}

// Without gravity, water that meets a disc: nothing but each other holds them.
TEST(SlicesInLiquid, give_what_they_take) {
  scene::Scene scene = flat_tank(1.2, 0.6, 0.6, 0.02);
  scene.gravity.setZero();
  scene.fluids[0].regions = {{geometry::Sphere{0.12}, Vec3(0.25, 0, 0.3), Mat3::Identity()}};
  scene.fluids[0].velocity = Vec3(1, 0, 0);
  scene.cloths = {test::make_disc("disc", 6, Vec3(0.47, 0, 0.28), 0.08, 500, rubber(3e4))};
  scene.output.fields = {Field::velocity};
  const auto simulation = make_simulation(scene, 2);
  const scene::Cloth& disc = scene.cloths[0];
  std::vector<double> masses(disc.mesh.vertices.size(), 0);
  for (const TriangleIndices& t : disc.mesh.triangles) {
    const auto at = [&](std::size_t k) {
      return disc.mesh.vertices[static_cast<std::size_t>(t[k])];
    };
    const double mass = disc.area_density * 0.5 * (at(1) - at(0)).cross(at(2) - at(0)).norm();
    for (const std::int32_t vertex : t)
      masses[static_cast<std::size_t>(vertex)] += mass / 3;
  }
  const double of_particle = water_density * 0.01 * 0.01 * 0.01;
  const auto total = [&] {
    return Vec3(momentum(*simulation, 0, {of_particle}) + momentum(*simulation, 1, masses));
  };
  const Vec3 before = total();
  advance(*simulation, 30);
  EXPECT_GT(momentum(*simulation, 1, masses).x(), 0.06 * before.x());
  EXPECT_LT((total() - before).norm(), 0.02 * before.norm());
}

// Both in one system, each of the liquid's density.
TEST(SlicesInLiquid, hover_beside_a_rigid_body) {
  scene::Scene scene = flat_tank(0.8, 0.6, 0.5, 0.02);
  scene.cloths = {
      test::make_disc("disc", 8, Vec3(0.251, 0, 0.243), 0.1, water_density, rubber(1e8))};
  scene::RigidBody& stone = scene.rigid_bodies.emplace_back();
  stone.name = "stone";
  stone.mesh =
      geometry::tessellate_shape(
          test::make_box(Vec3(0.463, -0.005, 0.171), Vec3(0.643, 0.005, 0.331)), 0.05, 100'000)
          .value();
  stone.density = water_density;
  const auto simulation = make_simulation(scene, 2);
  advance(*simulation, 5);
  const Vec3 soft = middle(*simulation, 1), hard = middle(*simulation, 2);
  constexpr double duration = 0.25;  // [s]
  advance(*simulation, static_cast<int>(duration * scene.frame_rate));
  EXPECT_LT((middle(*simulation, 1) - soft).norm(), 0.5 * 2e-3 * g * duration * duration);
  EXPECT_LT((middle(*simulation, 2) - hard).norm(), 0.5 * 2e-3 * g * duration * duration);
}

/// How many of these points in the plane of an outline are inside of it: by the triangles.
int count_inside(const std::vector<Vec3>& points, const std::vector<Vec3>& x,
                 const std::vector<TriangleIndices>& triangles) {
  int count = 0;
  for (const TriangleIndices& t : triangles) {
    std::array<Vec3, 3> c;
    Vec3 low = Vec3::Constant(1e9), high = -low;
    for (std::size_t k = 0; k < 3; ++k) {
      c[k] = x[static_cast<std::size_t>(t[k])];
      low = low.cwiseMin(c[k]);
      high = high.cwiseMax(c[k]);
    }
    for (const Vec3& p : points) {
      if (p.x() < low.x() || p.x() > high.x() || p.z() < low.z() || p.z() > high.z()) continue;
      int left = 0, right = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        const Vec3 along = c[(k + 1) % 3] - c[k], away = p - c[k];
        const double turn = along.x() * away.z() - along.z() * away.x();
        left += turn > 0 ? 1 : 0;
        right += turn < 0 ? 1 : 0;
      }
      count += left == 3 || right == 3 ? 1 : 0;
    }
  }
  return count;
}

/// Water that falls over what floats, sinks and is held.
scene::Scene stirred_tank() {
  constexpr double cell = 0.02;
  scene::Scene scene = flat_tank(1, 0.7, 0.2, cell);
  scene.fluids[0].regions.push_back(test::make_box(Vec3(0, -0.005, 0), Vec3(0.25, 0.005, 0.5)));
  scene::Cloth gate = test::make_slice(
      "gate", 2, 16, [&](double u, double v) { return Vec3(0.7 + 0.05 * u, 0, 0.3 * v); }, 1200,
      rubber(1e6));
  scene::Pin foot;
  foot.name = "foot";
  foot.vertices = {0, 1, 2};
  gate.pins = {foot};
  scene.cloths = {test::make_disc("buoy", 6, Vec3(0.5, 0, 0.15), 0.07, 300, rubber(1e6)),
                  plank("bar", Vec3(0.45, 0, 0.36), 0.2, 0.04, 0.3, 1500, 1e6), gate};
  return scene;
}

TEST(SlicesInLiquid, let_nothing_through) {
  const scene::Scene scene = stirred_tank();
  const auto simulation = make_simulation(scene, 2);
  const std::size_t particles = positions(*simulation, 0).size();
  std::int64_t stopped = 0, held = 0;
  for (int frame = 0; frame < 60; ++frame) {
    const auto statistics = simulation->advance_frame();
    ASSERT_TRUE(statistics) << statistics.error().message;
    stopped += statistics.value().stopped_count;
    held += statistics.value().contact_count;
    const std::vector<Vec3> of_water = positions(*simulation, 0);
    for (std::size_t body = 0; body < scene.cloths.size(); ++body) {
      EXPECT_EQ(count_inside(of_water, positions(*simulation, body + 1),
                             scene.cloths[body].mesh.triangles),
                0)
          << frame << ' ' << body;
      for (const Vec3& x : positions(*simulation, body + 1))
        ASSERT_EQ(x.y(), 0) << "in its plane";
    }
  }
  EXPECT_EQ(positions(*simulation, 0).size(), particles);
  EXPECT_GT(held, 100);
  EXPECT_LT(stopped, held / 20);
}

// Also where its place is no sum of few powers of 2, so that what is nearest is a little off it.
TEST(SlicesInLiquid, stay_in_their_plane_where_they_meet) {
  constexpr double plane = 0.025;
  scene::Scene scene = flat_tank(0.6, 0.6, 0.02, 0.02);
  scene.domain_lower.y() = plane - 0.005;
  scene.domain_upper.y() = plane + 0.005;
  scene.cloths = {
      test::make_disc("wheel", 8, Vec3(0.3, plane, 0.2), 0.08, 400, rubber(5e4)),
      test::make_slice(
          "curtain", 2, 40,
          [&](double u, double v) { return Vec3(0.43 + 0.02 * u, plane, 0.1 + 0.49 * v); }, 1100,
          rubber(2e5))};
  scene.cloths[0].velocity = Vec3(3, 0, 1);
  scene.cloths[1].pins = {test::make_pin({120, 121, 122})};
  const auto simulation = make_simulation(scene, 2);
  std::int64_t contacts = 0;
  for (int frame = 0; frame < 20; ++frame) {
    const auto statistics = simulation->advance_frame();
    ASSERT_TRUE(statistics) << statistics.error().message;
    contacts += statistics.value().contact_count;
    for (const std::size_t body : {1U, 2U}) {
      for (const Vec3& x : positions(*simulation, body))
        ASSERT_EQ(x.y(), static_cast<double>(static_cast<float>(plane))) << frame << ' ' << body;
    }
  }
  EXPECT_GT(contacts, 10);
}

TEST(SlicesInLiquid, are_the_same_bits_on_two_threads_and_after_a_restore) {
  test::expect_same_bits(stirred_tank(), 8, 8);
}

}  // namespace
}  // namespace sluice::slices_in_liquid_test
