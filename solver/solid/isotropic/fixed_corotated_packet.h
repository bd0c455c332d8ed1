// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/simd/four_doubles.h"
#include "solver/solid/isotropic/energy_packet.h"
#include "solver/solid/isotropic/fixed_corotated.h"
#include "solver/solid/isotropic/matrix_packet.h"
#include "solver/solid/isotropic/stretch_packet.h"
#include "solver/solid/isotropic/stretch_proximal.h"

/// The packet of FixedCorotated: see energy_packet.h.
namespace sluice::solid {

using namespace simd;

[[nodiscard]] inline Checked4<Double4> energy4(const FixedCorotated& energy,
                                               const Matrix4& F) noexcept {
  const Stretches4 stretches = stretches4(F);
  return {energy.energy(stretches.s), stretches.is_good};
}

/// 2 mu (F - R) + lambda (J - 1) cof F
[[nodiscard]] inline Checked4<Matrix4> stress4(const FixedCorotated& energy,
                                               const Matrix4& F) noexcept {
  const auto [mu, lambda] = energy.lame;
  const auto [s, is_good] = stretches4(F);
  const Matrix4 R = stretch_function(F, s, {splat4(1), splat4(0), splat4(0)});
  Matrix4 P = combination(splat4(2 * mu), F, lambda * (determinant4(F) - 1), cofactors(F));
  for (std::size_t i = 0; i < 9; ++i)
    P[i] -= 2 * mu * R[i];
  return {P, is_good};
}

/// P = 2 mu (F - R) + lambda (J - 1) g
[[nodiscard]] inline HessianTerms hessian_terms(const FixedCorotated& energy,
                                                const Matrix4& F) noexcept {
  const auto [mu, lambda] = energy.lame;
  return {splat4(2 * mu), splat4(0), splat4(lambda), lambda * (determinant4(F) - 1),
          splat4(2 * mu), every_lane};
}

[[nodiscard]] inline StretchProximal<FixedCorotated> packet_proximal(const FixedCorotated& energy,
                                                                     double w) noexcept {
  return {energy, w};
}

}  // namespace sluice::solid
