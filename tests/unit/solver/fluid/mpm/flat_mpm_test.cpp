// SPDX-License-Identifier: Apache-2.0
// MPM in two dimensions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "solver/fluid/mpm/mpm_fluid.h"
#include "solver/geometry/shape.h"
#include "tests/unit/solver/fluid/flat_scenes.h"
#include "tests/unit/solver/fluid/same_bits.h"

namespace sluice::fluid::flat_mpm_test {
namespace {

using test::box;
using test::flat_tank;
using test::sphere;

const Vec3 gravity(0, 0, -9.81);
constexpr double cell = test::flat_cell, depth = test::flat_depth, plane = test::flat_plane;

scene::Scene flat_dam(scene::Kernel kernel) {
  scene::Scene scene = test::flat_dam();
  scene.grid.kernel = kernel;
  return scene;
}

void run(ParticleFluid& fluid, double seconds, const Vec3& g = gravity) {
  for (double time = 0; time < seconds - 1e-9;) {
    const double h = std::min(fluid.stable_substep(), seconds - time);
    fluid.advance_velocities(h, g);
    ASSERT_EQ(fluid.first_not_finite(), -1);
    fluid.commit();
    time += h;
  }
}

double mass_of(const ParticleFluid& fluid) {
  double mass = 0;
  for (const std::uint8_t material : fluid.materials())
    mass += fluid.mass(material);
  return mass;
}

TEST(FlatMpm, weighs_what_its_volume_does) {
  const MpmFluid fluid(flat_tank(box({0.2, -1, 0}, {0.6, 1, 0.3})));
  EXPECT_EQ(fluid.particle_count(), 40 * 30);
  EXPECT_NEAR(mass_of(fluid), 1000 * 0.4 * 0.3 * depth, 1e-3);
  for (const Vec3f& x : fluid.positions())
    ASSERT_EQ(x.y(), static_cast<float>(plane));
}

TEST(FlatMpm, has_a_flow_at_any_y) {
  MpmFluid fluid(flat_dam(scene::Kernel::quadratic));
  const double h = fluid.stable_substep();
  fluid.advance_velocities(h, gravity);
  const Flow flow = fluid.flow_at({0.1, 7, 0.2});
  EXPECT_NEAR(flow.density, 1000, 1);
  EXPECT_NEAR(flow.velocity.z(), -9.81 * h, 1e-6);
}

// Expects of `flat` what a layer of particles does in a slab of the same in three dimensions,
// between smooth walls: to rounding.
void expect_as_in_slab(const scene::Scene& flat, int steps) {
  scene::Scene slab = flat;
  slab.grid.dimensions = 3;
  slab.domain_lower.y() = plane - 3 * cell;
  slab.domain_upper.y() = plane + 3 * cell;
  MpmFluid one(flat), other(slab);
  for (int n = 0; n < steps; ++n) {
    const double h = 0.9 * one.stable_substep();
    for (MpmFluid* fluid : {&one, &other}) {
      fluid->advance_velocities(h, gravity);
      fluid->commit();
    }
  }
  std::vector<Vec3f> found(one.positions().size()), layers(other.positions().size()), layer;
  one.gather_rows(one.positions(), found);
  other.gather_rows(other.positions(), layers);
  for (const Vec3f& x : layers) {
    if (x.y() > plane && x.y() < plane + cell / 2) layer.push_back(x);
  }
  ASSERT_EQ(layer.size(), found.size());
  const auto order = [](const Vec3f& a, const Vec3f& b) {
    return std::pair(a.x(), a.z()) < std::pair(b.x(), b.z());
  };
  std::ranges::sort(layer, order);
  std::ranges::sort(found, order);
  double farthest = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Vec3f way = found[i] - layer[i];
    farthest = std::max(farthest, static_cast<double>(std::hypot(way.x(), way.z())));
  }
  EXPECT_LT(farthest, 0.01 * cell);
}

TEST(FlatMpm, of_all_materials_moves_as_a_layer_of_a_slab_does) {
  for (const auto kernel : {scene::Kernel::quadratic, scene::Kernel::cubic}) {
    scene::Scene scene = flat_tank(box({0, -1, 0}, {0.1, 1, 0.2}));
    scene.grid.kernel = kernel;
    const scene::FluidMaterial materials[] = {scene::Bingham{}, scene::Jelly{}, scene::Sand{},
                                              scene::Snow{}};
    for (int n = 0; n < 4; ++n) {
      scene::Fluid fluid;
      fluid.name = "fluid" + std::to_string(n);
      fluid.regions = {box({0.12 + 0.1 * n, -1, 0.1}, {0.2 + 0.1 * n, 1, 0.2})};
      fluid.material = materials[n];
      fluid.velocity = Vec3(n % 2 == 0 ? 2 : -2, 0, -1);
      scene.fluids.push_back(fluid);
    }
    expect_as_in_slab(scene, 100);
  }
}

// Compressed, so that the density's feedback, which water alone has, has work.
TEST(FlatMpm, of_water_moves_as_a_layer_of_a_slab_does) {
  scene::Scene scene = flat_tank(box({0, -1, 0}, {0.3, 1, 0.5}));
  scene.fluids[0].sound_speed = 8;
  expect_as_in_slab(scene, 60);
}

TEST(FlatMpm, keeps_momentum_and_angular_momentum) {
  scene::Scene scene = flat_tank(sphere({0.4, plane, 0.3}, 0.12));
  scene.fluids[0].velocity = {0.3, 0, 0.1};
  MpmFluid fluid(scene);
  const Vec3 center(0.4, plane, 0.3);
  for (std::size_t i = 0; i < fluid.positions().size(); ++i) {
    const Vec3 arm = fluid.positions()[i].cast<double>() - center;
    fluid.velocities()[i] += Vec3(0, 2, 0).cross(arm).cast<float>();
  }
  const auto turning = [&] {
    double sum = 0;
    for (std::size_t i = 0; i < fluid.positions().size(); ++i) {
      const Vec3 x = fluid.positions()[i].cast<double>(), v = fluid.velocities()[i].cast<double>();
      sum += fluid.mass(0) * x.cross(v).y();
    }
    return sum;
  };
  run(fluid, 0.02, Vec3::Zero());
  const Vec3 momentum = fluid.momentum();
  const double before = turning();
  run(fluid, 0.1, Vec3::Zero());
  EXPECT_LT((fluid.momentum() - momentum).norm(), 1e-5 * momentum.norm());
  EXPECT_NEAR(turning(), before, 0.02 * std::abs(before));  // C has the rest.
  EXPECT_EQ(fluid.momentum().y(), 0);
}

TEST(FlatMpm, stays_in_its_plane_and_out_of_obstacles) {
  for (const auto kernel : {scene::Kernel::quadratic, scene::Kernel::cubic}) {
    const scene::Scene scene = flat_dam(kernel);
    MpmFluid fluid(scene);
    for (int n = 0; n < 6; ++n) {
      run(fluid, 0.1, n == 3 ? Vec3(0, 5, -9.81) : gravity);  // People may ask for that.
      for (const Vec3f& x : fluid.positions()) {
        ASSERT_EQ(x.y(), static_cast<float>(plane));
        for (const scene::Obstacle& obstacle : scene.obstacles)
          ASSERT_GE(geometry::signed_distance(obstacle.shape, x.cast<double>()).distance, 0);
      }
    }
  }
}

TEST(FlatMpm, has_the_same_bits_on_any_number_of_threads_and_after_a_restore) {
  const scene::Scene scene = flat_dam(scene::Kernel::quadratic);
  test::expect_same_bits<MpmFluid>(scene, [](ParticleFluid& fluid) { run(fluid, 0.1); });
}

}  // namespace
}  // namespace sluice::fluid::flat_mpm_test
