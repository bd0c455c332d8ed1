// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/material.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/solver/fluid/scenes.h"

namespace sluice::fluid::material_test {
namespace {

Material liquid(double exponent) {
  scene::Scene scene = test::tank({1, 1, 1}, 0.1, test::box({0, 0, 0}, {1, 1, 1}));
  scene.fluids[0].eos_exponent = exponent;
  return make_materials(scene)[0];
}

// Oracle: Tait's equation in double precision, with expm1 and log1p.
double tait(double exponent, double strain) {
  return 1000.0 * 20 * 20 / exponent * std::expm1(-exponent * std::log1p(strain));
}

TEST(Material, pressure_is_taits_to_float_rounding_however_small_the_strain) {
  for (const double exponent : {1.0, 1.4, 2.0, 4.5, 7.0, 7.15}) {
    const Material material = liquid(exponent);
    float strain = -1e-7F;
    while (strain > -0.49F) {
      const double expected = tait(exponent, strain);
      EXPECT_NEAR(pressure(material, strain), expected, 3e-6 * expected)
          << exponent << " " << strain;
      strain *= 1.7F;
    }
  }
}

TEST(Material, compression_energy_is_the_work_of_its_pressure) {
  // Oracle: dW = -p V0 dJ, by central differences.
  for (const double exponent : {1.0, 1.4, 7.0, 7.15}) {
    const Material material = liquid(exponent);
    EXPECT_EQ(compression_energy(material, 0.0F), 0);
    EXPECT_EQ(compression_energy(material, 0.04F), 0);
    for (const float strain : {-0.3F, -0.05F, -0.01F}) {
      const float step = -strain / 64;
      const float above = strain + step, below = strain - step;
      const double slope =
          (compression_energy(material, above) - compression_energy(material, below)) /
          (static_cast<double>(above) - static_cast<double>(below));
      const double expected = -tait(exponent, static_cast<double>(strain)) * 0.05 * 0.05 * 0.05;
      EXPECT_NEAR(slope, expected, 5e-3 * std::abs(expected)) << exponent << " " << strain;
    }
  }
}

TEST(Material, has_no_tension) {
  const Material material = liquid(7);
  EXPECT_EQ(pressure(material, 0.0F), 0);
  EXPECT_EQ(pressure(material, 0.01F), 0);
  EXPECT_EQ(damped_pressure(material, 0.01F, -100.0F), 0);
  EXPECT_EQ(damped_pressure(material, -1e-4F, 1e6F), 0);
  EXPECT_GT(damped_pressure(material, -1e-4F, -1.0F), pressure(material, -1e-4F));
}

TEST(Material, pressure_rises_with_compression_beyond_half_the_volume) {
  const Material material = liquid(7.15);
  for (int n = 400; n < 550; ++n) {
    const float strain = -0.001F * static_cast<float>(n);
    EXPECT_GT(pressure(material, strain - 0.001F), pressure(material, strain)) << strain;
  }
}

TEST(Material, eight_at_once_have_the_pressures_of_one_by_one) {
  for (const double exponent : {1.4, 7.0}) {
    const Material material = liquid(exponent);
    const Float8 strain{-0.4F, -0.1F, -1e-3F, -1e-7F, 0, 1e-3F, 0.05F, -0.01F};
    const Float8 divergence{1, -2, 3, -4, -5, 6, 0, 100};
    const Float8 together = damped_pressure(material, strain, divergence);
    for (int n = 0; n < 8; ++n) {
      EXPECT_FLOAT_EQ(together[n], damped_pressure(material, strain[n], divergence[n])) << n;
    }
  }
}

TEST(Material, sound_speed_is_the_slope_of_pressure_over_density) {
  for (const double exponent : {1.0, 1.4, 7.0}) {
    const Material material = liquid(exponent);
    EXPECT_NEAR(sound_speed(material, 0.02F), 20, 1e-5);
    for (const double strain : {-1e-3, -0.05, -0.3}) {
      const double J = 1 + strain;
      const double c = 20 * std::pow(J, -(exponent - 1) / 2);
      EXPECT_NEAR(sound_speed(material, static_cast<float>(strain)), c, 1e-5 * c);
    }
  }
}

TEST(Material, liquids_are_mixed_with_what_has_another_density_or_is_none) {
  scene::Scene scene = test::tank({1, 1, 1}, 0.1, test::box({0, 0, 0}, {1, 1, 1}));
  scene.fluids.push_back(scene.fluids[0]);
  EXPECT_FALSE(has_mixed_liquids(scene));
  EXPECT_EQ(make_materials(scene)[1].gathered_density, 1000);
  scene.fluids[1].density = 800;
  EXPECT_TRUE(has_mixed_liquids(scene));
  EXPECT_EQ(make_materials(scene)[1].gathered_density, 1);
  scene.fluids[1].density = 1000;
  scene.fluids[1].material = scene::Jelly{};
  EXPECT_TRUE(has_mixed_liquids(scene));
  scene.fluids[0].material = scene::Sand{};
  EXPECT_FALSE(has_mixed_liquids(scene)) << "no liquid";
}

}  // namespace
}  // namespace sluice::fluid::material_test
