// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "solver/simd/four_doubles.h"
#include "solver/solid/isotropic/energy_packet.h"
#include "solver/solid/isotropic/matrix_packet.h"
#include "solver/solid/isotropic/neo_hookean.h"
#include "solver/solid/isotropic/neo_hookean_proximal.h"

/// The packet of NeoHookean: see energy_packet.h.
namespace sluice::solid {

using namespace simd;

/// Psi, infinite in lanes with J <= 0.
[[nodiscard]] inline Checked4<Double4> energy4(const NeoHookean& energy,
                                               const Matrix4& F) noexcept {
  const auto [mu, lambda] = energy.lame;
  const Double4 J = determinant4(F);
  const Double4 log_j = log4(J > 0 ? J : splat4(1));
  const Double4 value = 0.5 * mu * (squares4(F) - 3) + log_j * (0.5 * lambda * log_j - mu);
  return {J > 0 ? value : splat4(std::numeric_limits<double>::infinity()), every_lane};
}

/// mu F + (lambda log J - mu) F^-T. Where J > 0; else not a number in its lane.
[[nodiscard]] inline Checked4<Matrix4> stress4(const NeoHookean& energy,
                                               const Matrix4& F) noexcept {
  const auto [mu, lambda] = energy.lame;
  const Double4 J = determinant4(F);
  const Double4 log_j = J > 0 ? log4(J) : splat4(std::numeric_limits<double>::quiet_NaN());
  return {combination(splat4(mu), F, (lambda * log_j - mu) / J, cofactors(F)), every_lane};
}

/// P = mu F + (c / J) g, c = lambda log J - mu.
[[nodiscard]] inline HessianTerms hessian_terms(const NeoHookean& energy,
                                                const Matrix4& F) noexcept {
  const auto [mu, lambda] = energy.lame;
  const Double4 J = determinant4(F);
  const Long4 is_upright = J > 0;
  const Double4 reciprocal = 1 / (is_upright ? J : splat4(1));
  const Double4 c = lambda * log4(is_upright ? J : splat4(1)) - mu;
  return {splat4(mu),     splat4(0), (lambda - c) * reciprocal * reciprocal,
          c * reciprocal, splat4(0), is_upright};
}

[[nodiscard]] inline NeoHookeanProximal packet_proximal(const NeoHookean& energy,
                                                        double w) noexcept {
  return {energy, w};
}

/// Only then the equation of one unknown in NeoHookeanProximal has one solution.
[[nodiscard]] inline bool packets_serve(const NeoHookean& energy) noexcept {
  return energy.lame.lambda >= 0;
}

}  // namespace sluice::solid
