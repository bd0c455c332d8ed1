// SPDX-License-Identifier: Apache-2.0
// Oracles: the formula of sluice.v1.Wind, worked by hand for flat sheets.
#include "solver/solid/wind.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "tests/unit/solver/solid/grid_mesh.h"

namespace sluice::solid {
namespace {

constexpr double density = 1.25, normal_drag = 0.8, tangential_drag = 0.1;

/// A sheet of 1 m by 1 m and 0.2 kg in the x-y plane.
DeformableSystem make_sheet() {
  scene::Scene scene;
  scene.cloths.resize(1);
  scene.cloths[0].mesh = grid_mesh(5, 5, 0.25);
  scene.cloths[0].area_density = 0.2;
  return make_deformable_system(scene);
}

Vec3 total_force(const DeformableSystem& system, const scene::Wind& wind, double time, double h) {
  WindForce force(wind, system);
  std::vector<Vec3> forces(system.positions.size(), Vec3::Zero());
  force.add(system, time, h, forces);
  return std::accumulate(forces.begin(), forces.end(), Vec3(Vec3::Zero()));
}

scene::Wind make_wind(const Vec3& velocity) {
  scene::Wind wind;
  wind.velocity = velocity;
  wind.density = density;
  wind.normal_drag = normal_drag;
  wind.tangential_drag = tangential_drag;
  return wind;
}

TEST(Wind, pushes_across_and_drags_along_a_sheet) {
  const DeformableSystem sheet = make_sheet();
  const double short_step = 1e-9;
  const Vec3 across = total_force(sheet, make_wind({0, 0, -6}), 0, short_step);
  EXPECT_LT((across - Vec3(0, 0, -density / 2 * normal_drag * 36)).norm(), 1e-6);
  const Vec3 along = total_force(sheet, make_wind({3, 4, 0}), 0, short_step);
  EXPECT_LT((along - density / 2 * tangential_drag * 5 * Vec3(3, 4, 0)).norm(), 1e-6);
}

TEST(Wind, acts_on_the_velocity_relative_to_the_air) {
  DeformableSystem sheet = make_sheet();
  std::fill(sheet.velocities.begin(), sheet.velocities.end(), Vec3(1, 2, 3));
  EXPECT_EQ(total_force(sheet, make_wind({1, 2, 3}), 0, 0.01), Vec3::Zero());
  // Still air slows what moves: across at 3 m/s, along at sqrt(5) of sqrt(14) m/s.
  const Vec3 braked = total_force(sheet, make_wind(Vec3::Zero()), 0, 1e-9);
  const Vec3 expected =
      -density / 2 *
      (normal_drag * 3 * Vec3(0, 0, 3) + tangential_drag * std::sqrt(14) * Vec3(1, 2, 0));
  EXPECT_LT((braked - expected).norm(), 1e-6);
}

TEST(Wind, comes_in_gusts) {
  const DeformableSystem sheet = make_sheet();
  scene::Wind wind = make_wind({0, 0, 2});
  wind.gust_strength = 0.5;
  wind.gust_period = 4;
  const auto push = [&](double time) { return total_force(sheet, wind, time, 1e-9).z(); };
  EXPECT_NEAR(push(1) / push(0), 1.5 * 1.5, 1e-6);
  EXPECT_NEAR(push(3) / push(0), 0.5 * 0.5, 1e-6);
}

TEST(Wind, never_drives_a_triangle_past_the_air) {
  // 200 m/s on 0.2 kg: explicitly a step of 0.1 s would end at 2,500 m/s.
  const DeformableSystem sheet = make_sheet();
  const Vec3 impulse = 0.1 * total_force(sheet, make_wind({0, 0, 200}), 0, 0.1);
  EXPECT_GT(impulse.z(), 0.9 * 0.2 * 200);
  EXPECT_LT(impulse.z(), 0.2 * 200);
}

}  // namespace
}  // namespace sluice::solid
