// SPDX-License-Identifier: Apache-2.0
// Incompressible liquids of several densities, which move each other by pressure.
#include "solver/fluid/liquid/mixed_density.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "solver/fluid/liquid/grid_fluid.h"
#include "solver/fluid/pressure/pressure.h"
#include "tests/unit/solver/fluid/lattice/random_grid.h"
#include "tests/unit/solver/fluid/same_bits.h"
#include "tests/unit/solver/fluid/scenes.h"

namespace sluice::fluid::grid::mixed_density_test {
namespace {

using fluid::test::box;
using fluid::test::tank;

// A grid whose densities are up to `ratio` times each other.
template <int D>
MacGrid<D> random_mixture(float ratio, unsigned seed) {
  MacGrid<D> grid = random_grid<D>(true, false, seed);
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> exponent(0, 1);
  typename MacGrid<D>::template Faces<float> weights;
  for (std::size_t axis = 0; axis < D; ++axis) {
    grid.lightness[axis].assign(grid.tiles.array_size(), 1);
    for (std::size_t face = 0; face < grid.tiles.array_size(); ++face)
      weights[axis].push_back(std::pow(ratio, -exponent(random)));
  }
  find_lightness<D>(1, weights, grid);
  return grid;
}

TEST(MixedDensity, leaves_no_more_divergence_than_the_tolerance) {
  for (const float ratio : {2.0F, 1000.0F}) {
    expect_no_divergence(random_mixture<2>(ratio, 1));
    expect_no_divergence(random_mixture<3>(ratio, 2));
  }
}

// Liquid that is a thousand times as light gets a thousand times as fast by the same pressure.
// Faces without anything have the lightness of those next to them.
TEST(MixedDensity, of_a_face_is_that_of_what_is_on_it) {
  MacGrid<2> grid = random_grid<2>(false, false, 3);
  MacGrid<2>::Faces<float> weights;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    grid.lightness[axis].assign(grid.tiles.array_size(), 0.4F);  // Volumes.
    weights[axis].assign(grid.tiles.array_size(), 0.8F);
    for (std::size_t i = 0; i < grid.tiles.count() * tile_size<2>; ++i) {
      const Cell<2> cell = grid.tiles.cell(i);
      if (cell[0] >= 4) weights[axis][i] = 0.0008F;
      if (cell[0] < 6) continue;
      grid.lightness[axis][i] = weights[axis][i] = 0;
    }
  }
  find_lightness<2>(2, weights, grid);
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const auto lightness = [&](std::int32_t x) {
      return grid.lightness[axis][grid.tiles.find_cell({x, 2})];
    };
    EXPECT_EQ(lightness(3), 1);
    EXPECT_NEAR(lightness(4), 1000, 1e-3);
    EXPECT_NEAR(lightness(6), 1000, 1e-3);
    EXPECT_EQ(lightness(9), 1);
  }
  EXPECT_EQ(grid.is_pure[grid.tiles.find({-1, 0})], 1);
  EXPECT_EQ(grid.is_pure[grid.tiles.find({0, 0})], 0);
}

scene::Scene incompressible(scene::Scene scene) {
  scene.grid.solver = scene::FluidSolver::incompressible;
  scene.grid.cfl = 2;
  for (scene::Fluid& fluid : scene.fluids)
    fluid.dynamic_viscosity = 0;
  return scene;
}

// Water to 0.2 m under 0.15 m of oil.
scene::Scene layers() {
  scene::Scene scene = tank({0.8, 0.4, 0.6}, 0.05, box({0, 0, 0}, {1, 1, 0.2}));
  scene.fluids.push_back(scene.fluids[0]);
  scene.fluids[1].name = "oil";
  scene.fluids[1].density = 600;
  scene.fluids[1].regions = {box({0, 0, 0.2}, {1, 1, 0.35})};
  return incompressible(scene);
}

void run(ParticleFluid& fluid, double seconds, const Vec3& gravity) {
  for (double time = 0; seconds - time > 1e-9;) {
    const double h = std::min({1.0 / 60, fluid.stable_substep(), seconds - time});
    fluid.advance_velocities(h, gravity);
    ASSERT_EQ(fluid.first_not_finite(), -1);
    fluid.commit();
    time += h;
  }
}

// [m] By row.
std::vector<Vec3f> positions_of(const ParticleFluid& fluid) {
  std::vector<Vec3f> positions(fluid.positions().size());
  fluid.gather_rows(fluid.positions(), positions);
  return positions;
}

TEST(MixedDensity, in_layers_rests_under_its_weight) {
  const scene::Scene scene = layers();
  GridFluid<3> fluid(scene);
  const std::vector<Vec3f> start = positions_of(fluid);
  run(fluid, 5, scene.gravity);
  const std::vector<Vec3f> now = positions_of(fluid);
  std::vector<float> pressures(start.size());
  fluid.gather_rows(fluid.pressures(), pressures);
  for (std::size_t i = 0; i < start.size(); ++i) {
    ASSERT_LT((now[i] - start[i]).norm(), 3e-5F);
    const double depth = 0.35 - static_cast<double>(now[i].z());
    if (depth < 0.05 || now[i].z() < 0.025F) continue;  // Left out as in grid_fluid_test.
    const double weight = 9.81 * (depth < 0.15 ? 600 * depth : 90 + 1000 * (depth - 0.15));
    // Where they meet, a face has the mean of both.
    ASSERT_NEAR(pressures[i], weight, std::abs(depth - 0.15) < 0.05 ? 60 : 5) << depth;
  }
}

// On a slope, where the lattice of particles is cut anyhow, they find their places once.
TEST(MixedDensity, in_layers_beside_a_slope_comes_to_rest) {
  scene::Scene scene = layers();
  scene.obstacles.resize(1);
  scene.obstacles[0].name = "slope";
  scene.obstacles[0].shape = box({-0.3, -1, -0.3}, {0.3, 1, 0.1});
  scene.obstacles[0].shape.rotation = Eigen::AngleAxisd(-0.5, Vec3::UnitY()).toRotationMatrix();
  GridFluid<3> fluid(scene);
  const std::vector<Vec3f> start = positions_of(fluid);
  const auto mean_way = [&] {
    const std::vector<Vec3f> now = positions_of(fluid);
    double sum = 0;
    for (std::size_t i = 0; i < start.size(); ++i)
      sum += static_cast<double>((now[i] - start[i]).norm());
    return sum / static_cast<double>(start.size());
  };
  run(fluid, 1, scene.gravity);
  const double after_one = mean_way();
  EXPECT_LT(after_one, 0.003);
  run(fluid, 4, scene.gravity);
  EXPECT_LT(mean_way(), 1.2 * after_one);
  for (const Vec3f& v : fluid.velocities())
    ASSERT_LT(v.norm(), 0.01F);
}

// Nothing but pressure between them, and nothing around.
TEST(MixedDensity, that_collides_keeps_momentum) {
  scene::Scene scene = tank({1, 1, 1}, 0.05, box({0.2, 0.3, 0.3}, {0.45, 0.7, 0.7}));
  scene.fluids.push_back(scene.fluids[0]);
  scene.fluids[1].density = 50;
  scene.fluids[1].regions = {box({0.45, 0.3, 0.3}, {0.7, 0.7, 0.7})};
  scene.fluids[1].velocity = Vec3(-1, 0, 0);
  GridFluid<3> fluid(incompressible(scene));
  const Vec3 before = fluid.momentum();
  const double energy = fluid.kinetic_energy();
  run(fluid, 0.1, Vec3::Zero());
  EXPECT_LT((fluid.momentum() - before).norm(), 2e-3 * before.norm());
  EXPECT_LT(fluid.kinetic_energy(), 0.9 * energy);
  double light = 0;
  int count = 0;
  for (std::int64_t i = 0; i < fluid.particle_count(); ++i) {
    const auto u = static_cast<std::size_t>(i);
    if (fluid.densities()[u] > 500) continue;
    light += static_cast<double>(fluid.velocities()[u].x());
    ++count;
  }
  EXPECT_GT(light / count, -0.7) << "not stopped by the heavy block";
}

TEST(MixedDensity, has_the_same_bits_on_any_number_of_threads_and_after_a_restore) {
  scene::Scene scene = layers();
  std::swap(scene.fluids[0].density, scene.fluids[1].density);  // So that it moves.
  fluid::test::expect_same_bits<GridFluid<3>>(
      scene, [&](ParticleFluid& fluid) { run(fluid, 0.2, scene.gravity); });
}

}  // namespace
}  // namespace sluice::fluid::grid::mixed_density_test
