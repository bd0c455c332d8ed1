// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "solver/fluid/particles/particles.h"
#include "solver/scene/scene.h"
#include "solver/simd/vectors.h"

namespace sluice::fluid {

using namespace simd;

enum class Model { newtonian, bingham, jelly, sand, snow };

/// The material of a fluid's particles.
///
/// Liquids: p = K/gamma ((1/J)^gamma - 1), K = density c^2 (Tait), and no tension: p = 0 for J > 1.
/// Stress sigma = -p I + 2 mu (D - tr(D)/3 I), with D the symmetric part of grad v. Two corrections
/// of the method, not of the liquid (method.md): sound is damped, and J follows the density seen on
/// the grid, slowly. Bingham's has an elastic stress in the place of the viscous one.
///
/// The other models have no pressure of their own: elastic_flow.h has their stresses.
struct Material {
  Model model;
  float mass;              ///< [kg] of a particle
  float rest_volume;       ///< [m^3] of a particle
  float rest_density;      ///< [kg/m^3]
  float gathered_density;  ///< The density that a gather finds where particles are as dense as at
                           ///< rest: [kg/m^3], or 1 where it finds volumes (filled_volume.h).
  float bulk_over_gamma;   ///< [Pa] K/gamma
  int whole_exponent;      ///< floor(gamma)
  float exponent_rest;     ///< gamma - floor(gamma)
  float sound_speed;       ///< [m/s] at J = 1
  float viscosity;         ///< [Pa s] mu
  float sound_damping;     ///< [Pa s] bulk viscosity of compressed liquid
  float density_feedback;  ///< [1/s] rate at which J goes to gathered_density over the grid's
  float shift_rate;        ///< [1/s] at which crowded particles part (crowding.h)
  float shear_modulus;     ///< [Pa] of all that is not Newtonian: Lame's mu
  float lame_lambda;       ///< [Pa] of jelly, sand and snow
  float yield;             ///< Bingham: [Pa] norm of the deviatoric stress from which on it flows.
                           ///< Sand: norm of the deviatoric log strain over minus its trace.
  float relaxation;        ///< [1/s] Bingham: shear modulus over viscosity
  float least_growth;      ///< Snow: minus the critical compression
  float greatest_growth;   ///< Snow: the critical stretch
  float hardening;         ///< Snow: the stiffness is e^(hardening (1 - J_p)) times that at rest.

  [[nodiscard]] bool is_liquid() const noexcept {
    return model == Model::newtonian || model == Model::bingham;
  }
};

/// Compression [1 - J] that counts as none: what roundings leave of it in a liquid that flies. At
/// K = 4e5 Pa it is 4 Pa, 0.4 mm of water.
constexpr float negligible_compression = 1e-5F;

/// Whether a particle at J = 1 + strain has no stress that could press on a wall or pull at it. A
/// material with elastic stress may always have one.
[[nodiscard]] inline bool is_loose(const Material& material, float strain) noexcept {
  return material.model == Model::newtonian && !(strain < -negligible_compression);
}

/// Whether liquids share a grid with a material that has another density or is no liquid, so that a
/// node's mass does not tell them what volume particles fill there.
[[nodiscard]] bool has_mixed_liquids(const scene::Scene& scene);

/// Whether particles of a fluid carry an Elastic.
[[nodiscard]] bool has_elastic(const scene::Scene& scene);

/// Returns the materials of the scene's fluids, in order.
[[nodiscard]] std::vector<Material> make_materials(const scene::Scene& scene);

// The functions below take a float, or a Float8 for eight particles at once.

/// (1 + s)^n - 1 for n >= 0, without the cancellation at small s: only products and sums of "powers
/// minus one".
template <typename T>
[[nodiscard]] inline T power_minus_one(T s, int n) noexcept {
  T result{};
  for (T a = s; n != 0; n >>= 1) {
    if ((n & 1) != 0) result = result + a + result * a;  // (1+r)(1+a) - 1
    a = a * (a + 2.0F);                                  // (1+a)^2 - 1
  }
  return result;
}

/// (1 + s)^r - 1 for 0 <= r < 1 and s >= 0: expm1(r log1p(s)) by series, so that the bits are this
/// build's and not the C library's. Relative error 2e-7 for s <= 1 (J >= 1/2); beyond, it falls
/// below the power smoothly and still rises with s.
template <typename T>
[[nodiscard]] inline T root_minus_one(T s, float r) noexcept {
  const T z = s / (s + 2.0F), zz = z * z;  // log1p(s) = 2 atanh(z) = 2 z (1 + z^2/3 + z^4/5 + ...)
  T series = zz * (1.0F / 13);
  for (const float odd : {11.0F, 9.0F, 7.0F, 5.0F, 3.0F})
    series = zz * (series + 1 / odd);
  const T y = (z + z * series) * (2 * r);
  T sum{};
  for (int n = 10; n >= 1; --n)
    sum = y * (1 / static_cast<float>(n)) * (sum + 1.0F);
  return sum;
}

/// Returns the pressure [Pa] at J = 1 + strain, for strain > -1. Relative accuracy some float
/// roundings also near J = 1, where the textbook form would cancel: at K = 4e5 Pa one rounding of J
/// is 0.02 Pa, 2 micrometres of water.
template <typename T>
[[nodiscard]] inline T pressure(const Material& material, T strain) noexcept {
  const T compression = -strain / (strain + 1.0F);  // 1/J - 1
  const T s = compression > 0 ? compression : T{};
  T power = power_minus_one(s, material.whole_exponent);
  if (material.exponent_rest > 0) {
    const T root = root_minus_one(s, material.exponent_rest);
    power = power + root + power * root;
  }
  return power * material.bulk_over_gamma;
}

/// Returns the pressure [Pa] with sound damping, where the liquid expands at the rate `divergence`
/// = tr(grad v) [1/s]; never below 0.
template <typename T>
[[nodiscard]] inline T damped_pressure(const Material& material, T strain, T divergence) noexcept {
  const T p = pressure(material, strain);
  const T damped = p - divergence * material.sound_damping;
  return p > 0 && damped > 0 ? damped : T{};
}

/// Returns the pressure [Pa] of particle i of any material; an elastic one may pull, < 0.
[[nodiscard]] float pressure_of(std::span<const Material> materials, const Particles& particles,
                                std::size_t i) noexcept;

/// Energy [J] of a particle at J = 1 + strain: rest volume times the integral of p from J to 1.
[[nodiscard]] double compression_energy(const Material& material, float strain) noexcept;

/// Energy [J] of a particle's elastic state, that of a Bingham liquid's shear included.
[[nodiscard]] double elastic_energy(const Material& material, const Elastic& elastic);

/// Speed of sound [m/s] for the choice of a substep. Liquids, at J = 1 + strain: sqrt(dp/drho), c
/// J^(-(gamma-1)/2), with what Bingham's shear modulus adds; others: longitudinal waves at rest.
[[nodiscard]] float sound_speed(const Material& material, float strain) noexcept;

}  // namespace sluice::fluid
