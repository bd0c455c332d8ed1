// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "solver/scene/scene.h"

namespace sluice::fluid {

/// A weakly compressible Newtonian liquid, as one of its particles sees it.
///
/// p = K/gamma ((1/J)^gamma - 1), K = density c^2 (Tait), and no tension: p = 0 for J > 1.
/// Stress sigma = -p I + 2 mu (D - tr(D)/3 I), with D the symmetric part of grad v.
/// Two corrections of the method, not of the liquid (README.md): sound is damped, and J follows the
/// density seen on the grid, slowly.
struct Material {
  float mass;              ///< [kg] of a particle
  float rest_volume;       ///< [m^3] of a particle
  float rest_density;      ///< [kg/m^3]
  float bulk_over_gamma;   ///< [Pa] K/gamma
  int whole_exponent;      ///< floor(gamma)
  float exponent_rest;     ///< gamma - floor(gamma)
  float sound_speed;       ///< [m/s] at J = 1
  float viscosity;         ///< [Pa s] mu
  float sound_damping;     ///< [Pa s] bulk viscosity of compressed liquid
  float density_feedback;  ///< [1/s] rate at which J goes to rest_density over the grid's density
};

/// The scene's fluids, in order.
[[nodiscard]] std::vector<Material> make_materials(const scene::Scene& scene);

/// (1 + s)^n - 1 for n >= 0, without the cancellation at small s: only products and sums of "powers
/// minus one".
[[nodiscard]] inline float power_minus_one(float s, int n) noexcept {
  float result = 0;
  for (float a = s; n != 0; n >>= 1) {
    if ((n & 1) != 0) result = result + a + result * a;  // (1+r)(1+a) - 1
    a *= 2 + a;                                          // (1+a)^2 - 1
  }
  return result;
}

/// (1 + s)^r - 1 for 0 <= r < 1 and s >= 0: expm1(r log1p(s)) by series, so that the bits are this
/// build's and not the C library's. Relative error 2e-7 for s <= 1 (J >= 1/2); beyond, it falls
/// below the power smoothly and still rises with s.
[[nodiscard]] float root_minus_one(float s, float r) noexcept;

/// Pressure [Pa] at J = 1 + strain, for strain > -1. Relative accuracy some float roundings also
/// near J = 1, where the textbook form would cancel: at K = 4e5 Pa one rounding of J is 0.02 Pa, 2
/// micrometres of water.
[[nodiscard]] inline float pressure(const Material& material, float strain) noexcept {
  if (strain >= 0) return 0;
  const float s = -strain / (1 + strain);  // 1/J - 1
  float power = power_minus_one(s, material.whole_exponent);
  if (material.exponent_rest > 0) {
    const float root = root_minus_one(s, material.exponent_rest);
    power = power + root + power * root;
  }
  return material.bulk_over_gamma * power;
}

/// The same with sound damping, where the liquid expands at the rate `divergence` = tr(grad v)
/// [1/s]; never below 0.
[[nodiscard]] inline float damped_pressure(const Material& material, float strain,
                                           float divergence) noexcept {
  if (strain >= 0) return 0;
  return std::max(0.0F, pressure(material, strain) - material.sound_damping * divergence);
}

/// [m/s] sqrt(dp/drho) at J = 1 + strain, for the choice of a substep: c J^(-(gamma-1)/2).
[[nodiscard]] float sound_speed(const Material& material, float strain) noexcept;

}  // namespace sluice::fluid
