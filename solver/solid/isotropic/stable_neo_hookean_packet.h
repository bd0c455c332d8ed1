// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/simd/four_doubles.h"
#include "solver/solid/isotropic/energy_packet.h"
#include "solver/solid/isotropic/matrix_packet.h"
#include "solver/solid/isotropic/stable_neo_hookean.h"
#include "solver/solid/isotropic/stretch_proximal.h"

/// The packet of StableNeoHookean: see energy_packet.h.
namespace sluice::solid {

using namespace simd;

[[nodiscard]] inline Checked4<Double4> energy4(const StableNeoHookean& energy,
                                               const Matrix4& F) noexcept {
  const double m = energy.m(), l = energy.l(), a = energy.a();
  const Double4 J = determinant4(F), strain = squares4(F) - 3;
  return {0.5 * m * (strain - log4(1 + 0.25 * strain)) + 0.5 * l * (J - 1) * (J + 1 - 2 * a),
          every_lane};
}

[[nodiscard]] inline Checked4<Matrix4> stress4(const StableNeoHookean& energy,
                                               const Matrix4& F) noexcept {
  const double m = energy.m(), l = energy.l(), a = energy.a();
  return {combination(m * (1 - 1 / (squares4(F) + 1)), F, l * (determinant4(F) - a), cofactors(F)),
          every_lane};
}

/// P = m (1 - 1/I) F + l (J - a) g, I = |F|^2 + 1.
[[nodiscard]] inline HessianTerms hessian_terms(const StableNeoHookean& energy,
                                                const Matrix4& F) noexcept {
  const double m = energy.m(), l = energy.l(), a = energy.a();
  const Double4 reciprocal = 1 / (squares4(F) + 1);
  return {m * (1 - reciprocal),
          2 * m * reciprocal * reciprocal,
          splat4(l),
          l * (determinant4(F) - a),
          splat4(0),
          every_lane};
}

[[nodiscard]] inline StretchProximal<StableNeoHookean> packet_proximal(
    const StableNeoHookean& energy, double w) noexcept {
  return {energy, w};
}

}  // namespace sluice::solid
