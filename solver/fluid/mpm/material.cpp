// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/material.h"

#include <algorithm>
#include <cmath>

namespace sluice::fluid {

Material make_material(const scene::Fluid& fluid, double rest_volume) {
  const double whole = std::floor(fluid.eos_exponent);
  return {
      .mass = static_cast<float>(fluid.density * rest_volume),
      .rest_volume = static_cast<float>(rest_volume),
      .rest_density = static_cast<float>(fluid.density),
      .bulk_over_gamma = static_cast<float>(fluid.density * fluid.sound_speed * fluid.sound_speed /
                                            fluid.eos_exponent),
      .whole_exponent = static_cast<int>(whole),
      .exponent_rest = static_cast<float>(fluid.eos_exponent - whole),
      .sound_speed = static_cast<float>(fluid.sound_speed),
      .viscosity = static_cast<float>(fluid.dynamic_viscosity),
  };
}

float root_minus_one(float s, float r) noexcept {
  const float z = s / (2 + s), zz = z * z;  // log1p(s) = 2 atanh(z)
  const float log1p =
      2 * z *
      (1 + zz * (1.0F / 3 +
                 zz * (1.0F / 5 + zz * (1.0F / 7 + zz * (1.0F / 9 + zz * (1.0F / 11 + zz / 13))))));
  const float y = r * log1p;
  float sum = 0;
  for (int n = 10; n >= 1; --n)
    sum = y / static_cast<float>(n) * (1 + sum);
  return sum;
}

float sound_speed(const Material& material, float strain) noexcept {
  const float compression = std::max(0.0F, -strain / (1 + strain));
  const float gamma = static_cast<float>(material.whole_exponent) + material.exponent_rest;
  const float half_powers = gamma - 1;  // c^2 grows with (1/J)^(gamma-1)
  const auto whole = static_cast<int>(half_powers);
  const float ratio = (1 + power_minus_one(compression, whole)) *
                      (1 + root_minus_one(compression, half_powers - static_cast<float>(whole)));
  return material.sound_speed * std::sqrt(std::max(1.0F, ratio));
}

}  // namespace sluice::fluid
