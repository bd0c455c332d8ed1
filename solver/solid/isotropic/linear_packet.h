// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/simd/four_doubles.h"
#include "solver/solid/isotropic/energy_packet.h"
#include "solver/solid/isotropic/linear.h"
#include "solver/solid/isotropic/matrix_packet.h"

/// The packet of LinearElasticity: see energy_packet.h.
namespace sluice::solid {

using namespace simd;

[[nodiscard]] inline Checked4<Double4> energy4(const LinearElasticity& energy,
                                               const Matrix4& F) noexcept {
  return {hooke_energy(energy.lame, small_strain(F)), every_lane};
}

[[nodiscard]] inline Checked4<Matrix4> stress4(const LinearElasticity& energy,
                                               const Matrix4& F) noexcept {
  const Symmetric4 s = hooke_stress(energy.lame, small_strain(F));
  return {{s[0], s[3], s[4], s[3], s[1], s[5], s[4], s[5], s[2]}, every_lane};
}

/// argmin Psi(Z) + w/2 |Z - P|^2 of four matrices at once, as `proximal` has it.
[[nodiscard]] inline Matrix4 proximal4(const LinearElasticity& energy, const Matrix4& P,
                                       double w) noexcept {
  const auto [mu, lambda] = energy.lame;
  const double shear = w / (w + 2 * mu), growth = w / (w + 2 * mu + 3 * lambda);
  const double kept = 0.5 * (1 + shear), turned = 0.5 * (shear - 1);
  const Double4 mean = (growth - shear) * ((P[0] + P[4] + P[8]) * (1.0 / 3) - 1) + (1 - shear);
  return {shear * P[0] + mean,         kept * P[1] + turned * P[3], kept * P[2] + turned * P[6],
          kept * P[3] + turned * P[1], shear * P[4] + mean,         kept * P[5] + turned * P[7],
          kept * P[6] + turned * P[2], kept * P[7] + turned * P[5], shear * P[8] + mean};
}

}  // namespace sluice::solid
