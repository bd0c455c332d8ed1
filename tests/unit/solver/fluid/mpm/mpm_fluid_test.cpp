// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/mpm_fluid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "solver/geometry/shape.h"
#include "tests/unit/solver/fluid/scenes.h"

namespace sluice::fluid::mpm_fluid_test {
namespace {

// Steps until `end` [s] at the longest stable substeps; returns the time reached.
double run(MpmFluid& fluid, const scene::Scene& scene, double end) {
  double time = 0;
  while (time < end) {
    const double h = std::min(fluid.stable_substep(), end - time);
    fluid.advance_velocities(h, scene.gravity);
    fluid.commit();
    time += h;
    if (end - time < 1e-9) break;
  }
  return time;
}

Vec3 center_of(const MpmFluid& fluid) {
  Vec3 sum = Vec3::Zero();
  for (const Vec3f& x : fluid.positions())
    sum += x.cast<double>();
  return sum / static_cast<double>(fluid.particle_count());
}

TEST(MpmFluid, falls_freely_like_a_point) {
  // Oracle: symplectic Euler, whose sums are exact: v = -g t, z = z0 - g h^2 n(n+1)/2.
  auto scene = test::tank({0.4, 0.4, 1}, 0.02, test::box({0.1, 0.1, 0.7}, {0.3, 0.3, 0.9}));
  MpmFluid fluid(scene);
  const double start = center_of(fluid)[2], h = 4e-4;
  const int n = 500;
  for (int step = 0; step < n; ++step) {
    fluid.advance_velocities(h, scene.gravity);
    fluid.commit();
  }
  for (const Vec3f& v : fluid.velocities()) {
    EXPECT_NEAR(v[2], -9.81 * n * h, 1e-4);
    EXPECT_NEAR(v.head<2>().norm(), 0, 1e-4);
  }
  EXPECT_NEAR(center_of(fluid)[2], start - 9.81 * h * h * n * (n + 1) / 2, 1e-4);
}

TEST(MpmFluid, a_flying_drop_keeps_shape_and_momentum) {
  auto scene = test::tank({1, 0.4, 0.4}, 0.02, test::sphere({0.2, 0.2, 0.2}, 0.1));
  scene.gravity.setZero();
  scene.fluids[0].velocity = Vec3(2, 0, 0);
  MpmFluid fluid(scene);
  const auto moments = [&] {
    const Vec3 center = center_of(fluid);
    Vec3 sum = Vec3::Zero();
    for (const Vec3f& x : fluid.positions())
      sum += (x.cast<double>() - center).cwiseAbs2();
    return Vec3(sum / static_cast<double>(fluid.particle_count()));
  };
  const Vec3 before = moments(), momentum = fluid.momentum();
  run(fluid, scene, 0.25);  // Half a metre: 25 cells.
  EXPECT_NEAR(center_of(fluid)[0], 0.7, 1e-4);
  EXPECT_LT((moments() - before).norm(), 1e-3 * before.norm());
  // 700 substeps of floats: a third of a rounding each.
  EXPECT_LT((fluid.momentum() - momentum).norm(), 2e-5 * momentum.norm());
}

TEST(MpmFluid, water_column_comes_to_rest) {
  // Oracle: hydrostatics. 0.4 m of water, let go from rest without pressure, bounces and settles.
  auto scene = test::tank({0.08, 0.08, 0.6}, 0.02, test::box({0, 0, 0}, {0.08, 0.08, 0.4}));
  MpmFluid fluid(scene);
  run(fluid, scene, 2.5);
  for (const Vec3f& v : fluid.velocities())
    EXPECT_LT(v.norm(), 0.02);
  const auto pressures = fluid.pressures();
  double surface = 0;
  for (const Vec3f& x : fluid.positions())
    surface = std::max(surface, static_cast<double>(x[2]));
  EXPECT_NEAR(surface, 0.395 - 0.4 * 0.005, 0.002);  // Compressed by rho g H^2 / 2K at most.
  for (std::size_t i = 0; i < pressures.size(); ++i) {
    const double depth = 0.398 - fluid.positions()[i][2];
    // In the cells at the surface, where the density feedback takes pressure away: 3.5 cm of water.
    const double tolerance = 1000 * 9.81 * (depth > 0.04 ? 0.02 : 0.035);
    EXPECT_NEAR(pressures[i], 1000 * 9.81 * depth, tolerance) << depth;
  }
}

TEST(MpmFluid, a_dam_break_keeps_its_volume) {
  // Symptom: water that sloshed for seconds has sunk together. Mechanism: sums of tr(grad v) drift.
  // Measured: 11 % lost without the density feedback, 1 % with it. Oracle: at rest, a layer's mean
  // height is half its depth.
  auto scene = test::tank({0.6, 0.12, 0.5}, 0.03, test::box({0, 0, 0}, {0.3, 0.12, 0.3}));
  MpmFluid fluid(scene);
  run(fluid, scene, 3.5);
  for (int step = 0; step < 1500; ++step) {  // Brought to rest: 0.9 s.
    fluid.advance_velocities(fluid.stable_substep(), scene.gravity);
    for (Vec3f& v : fluid.velocities())
      v *= 0.995F;
    fluid.commit();
  }
  EXPECT_NEAR(center_of(fluid)[2], 0.15 / 2, 0.02 * 0.15 / 2);
}

TEST(MpmFluid, no_particle_is_ever_inside_a_wall_or_an_obstacle) {
  for (const auto kernel : {scene::Kernel::quadratic, scene::Kernel::cubic}) {
    for (const auto wall : {scene::WallCondition::slip, scene::WallCondition::no_slip}) {
      auto scene = test::dam_break(kernel);
      scene.grid.wall = wall;
      scene.obstacles[0].wall = wall;
      scene::Obstacle corner;  // Makes a wedge with the ball and sticks out of the domain.
      corner.shape = test::box({0.4, -0.1, -0.1}, {0.7, 0.05, 0.1});
      scene.obstacles.push_back(corner);
      MpmFluid fluid(scene);
      for (int step = 0; step < 400; ++step) {
        fluid.advance_velocities(fluid.stable_substep(), scene.gravity);
        for (const Vec3f& x : fluid.targets()) {
          ASSERT_TRUE((x.array() >= fluid.lower().array()).all());
          ASSERT_TRUE((x.array() <= fluid.upper().array()).all());
          for (const auto& obstacle : scene.obstacles) {
            ASSERT_GE(geometry::signed_distance(obstacle.shape, x.cast<double>()).distance, 0);
          }
        }
        fluid.commit();
      }
    }
  }
}

TEST(MpmFluid, no_slip_holds_water_back_where_slip_lets_it_go) {
  // Water sliding along the floor: slip keeps its momentum, no_slip takes the layer at the floor to
  // rest.
  const auto speed_at_floor = [](scene::WallCondition wall) {
    auto scene = test::tank({0.6, 0.08, 0.2}, 0.02, test::box({0.04, 0, 0}, {0.24, 0.08, 0.08}));
    scene.grid.wall = wall;
    scene.fluids[0].velocity = Vec3(1, 0, 0);
    MpmFluid fluid(scene);
    run(fluid, scene, 0.1);
    double sum = 0;
    int count = 0;
    for (std::size_t i = 0; i < fluid.positions().size(); ++i) {
      if (fluid.positions()[i][2] > 0.01F) continue;
      sum += fluid.velocities()[i][0];
      ++count;
    }
    return sum / count;
  };
  EXPECT_GT(speed_at_floor(scene::WallCondition::slip), 0.8);
  EXPECT_LT(speed_at_floor(scene::WallCondition::no_slip), 0.3);
}

TEST(MpmFluid, a_push_accelerates_what_is_in_its_ball) {
  auto scene = test::tank({1, 0.4, 0.4}, 0.02, test::sphere({0.2, 0.2, 0.2}, 0.1));
  scene.fluids[0].regions.push_back(test::sphere({0.7, 0.2, 0.2}, 0.1));
  scene.gravity.setZero();
  MpmFluid fluid(scene);
  const Push push{{0.2, 0.2, 0.2}, 0.15, {0, 3, 0}};
  fluid.advance_velocities(1e-4, scene.gravity, std::span(&push, 1));
  for (std::size_t i = 0; i < fluid.positions().size(); ++i) {
    const float expected = fluid.positions()[i][0] < 0.5F ? 3e-4F : 0.0F;
    EXPECT_NEAR(fluid.velocities()[i][1], expected, 1e-9);
  }
}

TEST(MpmFluid, two_liquids_keep_their_ids_masses_and_momentum) {
  auto scene = test::tank({0.4, 0.4, 0.4}, 0.02, test::box({0, 0, 0}, {0.1, 0.1, 0.1}));
  scene.fluids.push_back(scene.fluids[0]);
  scene.fluids[1].regions = {test::box({0.1, 0, 0}, {0.2, 0.1, 0.1})};
  scene.fluids[1].density = 500;
  MpmFluid fluid(scene);
  EXPECT_EQ(fluid.particle_count(0), 1000);
  EXPECT_EQ(fluid.particle_count(1), 1000);
  run(fluid, scene, 0.2);
  EXPECT_NEAR(fluid.mass(0), 1e-3, 1e-9);
  EXPECT_NEAR(fluid.mass(1), 0.5e-3, 1e-9);
  for (std::size_t i = 0; i < fluid.rows().size(); ++i) {
    EXPECT_EQ(fluid.materials()[i], fluid.rows()[i] < 1000 ? 0 : 1);
  }
}

TEST(MpmFluid, the_substep_shrinks_with_speed_viscosity_and_compression) {
  auto scene = test::tank({0.4, 0.4, 0.4}, 0.02, test::box({0, 0, 0}, {0.1, 0.1, 0.1}));
  EXPECT_NEAR(MpmFluid(scene).stable_substep(), 0.4 * 0.02 / 20, 1e-8);
  scene.fluids[0].velocity = Vec3(0, 5, 0);
  EXPECT_NEAR(MpmFluid(scene).stable_substep(), 0.4 * 0.02 / 25, 1e-8);
  scene.fluids[0].dynamic_viscosity = 1000;  // nu = 1 m^2/s
  EXPECT_NEAR(MpmFluid(scene).stable_substep(), 0.5 * 0.02 * 0.02 / 6, 1e-8);
  scene.fluids[0].regions = {test::box({5, 5, 5}, {6, 6, 6})};
  EXPECT_EQ(MpmFluid(scene).stable_substep(), std::numeric_limits<double>::infinity());
}

TEST(MpmFluid, is_stable_at_the_largest_cfl_number_that_a_scene_may_have) {
  // Oracle: Torricelli. Water that falls 0.24 m, on top of the 2 m/s it starts with, reaches 3 m/s;
  // where it is squeezed it splashes at a few times that, and an instability at any speed.
  for (const auto kernel : {scene::Kernel::quadratic, scene::Kernel::cubic}) {
    auto scene = test::dam_break(kernel);
    scene.grid.cfl = 0.9;
    MpmFluid fluid(scene);
    run(fluid, scene, 1);
    float fastest = 0;
    for (const Vec3f& v : fluid.velocities())
      fastest = std::max(fastest, v.norm());
    EXPECT_LT(fastest, 6);
    const double mass = static_cast<double>(fluid.particle_count()) * fluid.mass(0);
    EXPECT_LT(fluid.kinetic_energy(), 0.5 * mass * 9);
  }
}

TEST(MpmFluid, a_velocity_that_is_no_number_shows_in_the_substep) {
  auto scene = test::tank({0.4, 0.4, 0.4}, 0.02, test::box({0, 0, 0}, {0.1, 0.1, 0.1}));
  MpmFluid fluid(scene);
  fluid.advance_velocities(1e-4, scene.gravity);
  fluid.velocities()[17][1] = std::numeric_limits<float>::quiet_NaN();
  fluid.commit();
  EXPECT_FALSE(std::isfinite(fluid.stable_substep()));
}

TEST(MpmFluid, no_wall_and_no_obstacle_hides_a_number_that_is_not_finite) {
  // Symptom: water that had blown up stood still at a wall. Mechanism: clamps made the wall's
  // position of NaN, and no_slip made 0 of its velocity.
  auto scene = test::dam_break(scene::Kernel::quadratic);
  scene.grid.wall = scene::WallCondition::no_slip;
  scene.obstacles[0].wall = scene::WallCondition::no_slip;
  scene.obstacles[0].shape.translation = Vec3(0.23, 0.1, 0.1);  // In the water.
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float value : {std::nanf(""), infinity, -infinity}) {
    MpmFluid fluid(scene);
    fluid.advance_velocities(1e-4, scene.gravity);
    EXPECT_EQ(fluid.first_not_finite(), -1);
    fluid.commit();
    const std::size_t count = fluid.velocities().size();
    for (std::size_t i = 0; i < count; i += count / 31) {
      MpmFluid hit = std::move(MpmFluid::restore(scene, fluid.save())).value();
      hit.velocities()[i][static_cast<Eigen::Index>(i % 3)] = value;
      hit.advance_velocities(1e-4, scene.gravity);
      EXPECT_GE(hit.first_not_finite(), 0) << value << " at " << i;
    }
  }
}

}  // namespace
}  // namespace sluice::fluid::mpm_fluid_test
