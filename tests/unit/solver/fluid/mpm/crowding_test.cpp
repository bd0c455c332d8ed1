// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/crowding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "solver/fluid/mpm/material.h"
#include "solver/fluid/mpm/mpm_fluid.h"
#include "tests/unit/solver/fluid/scenes.h"

namespace sluice::fluid::crowding_test {
namespace {

constexpr double length = 0.4, cell = 0.02;  // [m]
constexpr double wave_number = 2 * std::numbers::pi / length;

scene::Scene full_tank() {
  scene::Scene scene = test::tank({length, 0.1, 0.1}, cell, test::box({-1, -1, -1}, {1, 1, 1}));
  scene.grid.dimensions = 2;
  return scene;
}

// Each particle is moved along x as a wave of crowding has it, whose density is 1 + `amplitude`
// cos(k x) times that at rest.
MpmFluid crowded(double amplitude) {
  MpmFluid fluid(full_tank());
  fluid.advance_velocities(1e-9, Vec3::Zero());
  for (Vec3f& x : fluid.targets()) {
    const double at = static_cast<double>(x.x());
    x.x() = static_cast<float>(at - amplitude / wave_number * std::sin(wave_number * at));
  }
  fluid.commit();
  return fluid;
}

// The amplitude of the crowding: where each particle is, and where it is without the wave.
double amplitude_of(const MpmFluid& fluid) {
  double sum = 0, squares = 0;
  const double spacing = cell / 2;
  for (const Vec3f& place : fluid.positions()) {
    const double at = static_cast<double>(place.x());
    const double even = (std::floor(at / spacing) + 0.5) * spacing;
    const double wave = std::sin(wave_number * even);
    sum += (even - at) * wave;
    squares += wave * wave;
  }
  return sum / squares * wave_number;
}

// Returns the time [s] that went by.
double advance(MpmFluid& fluid, double seconds, double gravity) {
  double time = 0;
  while (time < seconds) {
    const double h = std::min(fluid.stable_substep(), seconds - time + 1e-9);
    fluid.advance_velocities(h, Vec3(0, 0, -gravity));
    fluid.commit();
    time += h;
  }
  return time;
}

// Oracle: the heat equation. A crowding of less than a hundredth has no pressure of the density
// feedback. Crowds matter where there is weight, if ever so little.
TEST(Crowding, spreads_a_crowding_as_heat_spreads_and_moves_nothing_else) {
  constexpr double amplitude = 0.006;
  MpmFluid fluid = crowded(amplitude);
  ASSERT_NEAR(amplitude_of(fluid), amplitude, 1e-2 * amplitude);
  const double time = advance(fluid, 2, 1e-5);
  const double rate = static_cast<double>(make_materials(full_tank())[0].shift_rate);
  const double decay = rate * std::pow(wave_number * cell, 2);
  // The kernels smooth what the grid sees of the wave.
  EXPECT_NEAR(-std::log(amplitude_of(fluid) / amplitude) / time, decay, 0.1 * decay);
  for (const Vec3f& v : fluid.velocities())
    EXPECT_LT(v.norm(), 1e-4F);
}

TEST(Crowding, stays_where_nothing_weighs) {
  constexpr double amplitude = 0.006;
  MpmFluid fluid = crowded(amplitude);
  const double before = amplitude_of(fluid);
  advance(fluid, 0.5, 0);
  EXPECT_NEAR(amplitude_of(fluid), before, 1e-3 * amplitude);
}

TEST(Crowding, weighs_as_even_liquid_where_liquid_carries_it) {
  // Seen to be crowded by 1 %, and not compressed: less than all of the weight is to be felt.
  EXPECT_FLOAT_EQ(missing_weight(-0.01F, 0.0F, 3.0F), -0.01F);
  EXPECT_FLOAT_EQ(missing_weight(0.01F, -0.002F, 3.0F), 0.012F);
  EXPECT_FLOAT_EQ(missing_weight(-0.01F, 0.0F, 0.5F), -0.005F);
  // What falls freely; and never more than the limit.
  EXPECT_EQ(missing_weight(-0.01F, 0.0F, 0.0F), 0);
  EXPECT_EQ(missing_weight(-0.01F, 0.04F, -20.0F), 0);
  EXPECT_FLOAT_EQ(missing_weight(-0.04F, 0.0F, 3.0F), -most_weight_off);
  EXPECT_FLOAT_EQ(missing_weight(0.09F, 0.0F, 3.0F), most_weight_off);
}

TEST(Crowding, leaves_what_is_as_steep_as_a_surface) {
  for (const float slope : {0.0F, 0.03F, 0.0499F, 0.05F, 1.0F}) {
    const float factor = shift_by_slope(slope * slope, 1.0F, 1e-3F, 0.02F);
    if (slope < steepest_crowd) {
      EXPECT_LT(factor, 0) << slope;
    } else {
      EXPECT_EQ(factor, 0) << slope;
    }
  }
}

}  // namespace
}  // namespace sluice::fluid::crowding_test
