// SPDX-License-Identifier: Apache-2.0
// Incompressible liquids in two dimensions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "solver/fluid/liquid/grid_fluid.h"
#include "solver/geometry/shape.h"
#include "tests/unit/solver/fluid/flat_scenes.h"
#include "tests/unit/solver/fluid/same_bits.h"

namespace sluice::fluid::grid::flat_liquid_test {
namespace {

using test::box;
using test::sphere;

const Vec3 gravity(0, 0, -9.81);
constexpr double depth = test::flat_depth, plane = test::flat_plane;

scene::Scene incompressible(scene::Scene scene) {
  scene.grid.solver = scene::FluidSolver::incompressible;
  scene.grid.cfl = 2;
  scene.gravity = gravity;
  scene.fluids[0].dynamic_viscosity = 0;
  return scene;
}

scene::Scene flat_tank(const geometry::Shape& region) {
  return incompressible(test::flat_tank(region));
}

scene::Scene flat_dam() { return incompressible(test::flat_dam()); }

void run(ParticleFluid& fluid, double seconds) {
  for (double time = 0; time < seconds - 1e-9;) {
    const double h = std::min({1.0 / 60, fluid.stable_substep(), seconds - time});
    fluid.advance_velocities(h, gravity);
    ASSERT_EQ(fluid.first_not_finite(), -1);
    fluid.commit();
    time += h;
  }
}

// A particle stands for a column as deep as the domain.
TEST(FlatLiquid, weighs_what_its_volume_does) {
  const GridFluid<2> fluid(flat_tank(box({0.2, -1, 0}, {0.6, 1, 0.3})));
  EXPECT_EQ(fluid.particle_count(), 40 * 30);
  EXPECT_NEAR(static_cast<double>(fluid.particle_count()) * fluid.mass(0), 1000 * 0.4 * 0.3 * depth,
              1e-3);
  for (const Vec3f& x : fluid.positions())
    ASSERT_EQ(x.y(), static_cast<float>(plane));
}

TEST(FlatLiquid, falls_freely) {
  GridFluid<2> fluid(flat_tank(sphere({0.4, plane, 0.45}, 0.1)));
  const Vec3 start = fluid.mass_moment();
  const double mass = static_cast<double>(fluid.particle_count()) * fluid.mass(0);
  const double h = 0.005;
  for (int n = 0; n < 40; ++n) {
    fluid.advance_velocities(h, gravity);
    fluid.commit();
  }
  const Vec3 way = (fluid.mass_moment() - start) / mass;
  EXPECT_NEAR(way.z(), -9.81 * h * h * 40 * 41 / 2, 1e-4);
  EXPECT_NEAR(way.x(), 0, 1e-5);
  const Flow flow = fluid.flow_at({0.4, 5, 0.45 + way.z()});
  EXPECT_NEAR(flow.velocity.z(), -9.81 * 0.2, 1e-3);
  EXPECT_NEAR(flow.velocity.y(), 0, 0);
  EXPECT_NEAR(flow.density, 1000, 20);
}

// Still, and as heavy at its floor as it is deep.
TEST(FlatLiquid, at_rest_has_hydrostatic_pressure) {
  GridFluid<2> fluid(flat_tank(box({-1, -1, 0}, {1, 1, 0.3})));
  const Vec3 start = fluid.mass_moment();
  run(fluid, 5);
  const double mass = static_cast<double>(fluid.particle_count()) * fluid.mass(0);
  EXPECT_LT(((fluid.mass_moment() - start) / mass).norm(), 1e-6);
  const std::vector<float> pressures = fluid.pressures();
  for (std::size_t i = 0; i < pressures.size(); ++i) {
    const double z = fluid.positions()[i].z();
    if (z < 0.02 || z > 0.28) continue;
    ASSERT_NEAR(pressures[i], 1000 * 9.81 * (0.3 - z), 20);
  }
}

TEST(FlatLiquid, stays_in_its_plane_and_out_of_obstacles) {
  const scene::Scene scene = flat_dam();
  GridFluid<2> fluid(scene);
  for (int n = 0; n < 10; ++n) {
    run(fluid, 0.1);
    for (const Vec3f& x : fluid.positions()) {
      ASSERT_EQ(x.y(), static_cast<float>(plane));
      for (const scene::Obstacle& obstacle : scene.obstacles)
        ASSERT_GE(geometry::signed_distance(obstacle.shape, x.cast<double>()).distance, 0);
    }
  }
}

// A slab of it in three dimensions between smooth walls: the same flow, with four times as many
// particles; compared before the two are thrown up differently.
TEST(FlatLiquid, flows_as_a_slab_of_it_does) {
  scene::Scene flat = flat_tank(box({0, -1, 0}, {0.2, 1, 0.4}));
  scene::Scene slab = flat;
  slab.grid.dimensions = 3;
  slab.domain_lower.y() = plane - 0.04;
  slab.domain_upper.y() = plane + 0.04;
  GridFluid<2> one(flat);
  GridFluid<3> other(slab);
  for (int n = 0; n < 3; ++n) {
    run(one, 0.1);
    run(other, 0.1);
    const auto middle = [](const ParticleFluid& fluid) {
      return Vec3(fluid.mass_moment() /
                  (static_cast<double>(fluid.particle_count()) * fluid.mass(0)));
    };
    const Vec3 way = middle(one) - middle(other);
    EXPECT_LT(std::hypot(way.x(), way.z()), 0.003);
  }
}

TEST(FlatLiquid, comes_in_and_goes_out) {
  scene::Scene scene = flat_tank(box({0, -1, 0}, {0.1, 1, 0.1}));
  scene::Emitter emitter;
  emitter.name = "pipe";
  emitter.shape = box({0.05, -1, 0.3}, {0.2, 1, 0.5});
  emitter.velocity = {2, 0, 0};
  scene.fluids[0].emitters = {emitter};
  scene.grid.sides[0][1] = scene::Side::open;
  GridFluid<2> fluid(scene);
  std::int64_t emitted = 0, removed = 0;
  const std::int64_t start = fluid.particle_count();
  double time = 0;
  while (time < 1) {
    const double h = std::min(1.0 / 60, fluid.stable_substep());
    fluid.advance_velocities(h, gravity);
    fluid.commit();
    time += h;
    const Exchange exchange = fluid.exchange(time, [](const Vec3&) { return true; });
    emitted += exchange.emitted_count;
    removed += exchange.removed_count;
  }
  EXPECT_EQ(fluid.particle_count(), start + emitted - removed);
  // 2 m/s through 0.2 m for a second, less the layers that the pipe begins with.
  EXPECT_NEAR(static_cast<double>(emitted) * 0.01 * 0.01, 2 * time * 0.2, 0.04);
  EXPECT_GT(removed, start);
  for (const Vec3f& x : fluid.positions())
    ASSERT_EQ(x.y(), static_cast<float>(plane));
}

TEST(FlatLiquid, has_the_same_bits_on_any_number_of_threads_and_after_a_restore) {
  const scene::Scene scene = flat_dam();
  test::expect_same_bits<GridFluid<2>>(scene, [](ParticleFluid& fluid) { run(fluid, 0.3); });
}

}  // namespace
}  // namespace sluice::fluid::grid::flat_liquid_test
