// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <limits>

#include "solver/solid/isotropic/fixed_corotated.h"
#include "solver/solid/isotropic/linear.h"
#include "solver/solid/isotropic/matrix_packet.h"
#include "solver/solid/isotropic/neo_hookean.h"
#include "solver/solid/isotropic/st_venant_kirchhoff.h"
#include "solver/solid/isotropic/stable_neo_hookean.h"
#include "solver/solid/isotropic/stretch_packet.h"
#include "solver/solid/packet.h"

/// Energies and stresses of four deformation gradients at once. Only the fixed-corotated ones need
/// more than the invariants of F^T F.
namespace sluice::solid {

/// Of four elements; where a lane is not good, the functions of derivatives.h have to serve.
template <typename Value>
struct Checked4 {
  Value value;
  Long4 is_good;
};

inline constexpr Long4 every_lane{-1, -1, -1, -1};

/// |F|^2
[[nodiscard]] inline Double4 squares4(const Matrix4& F) noexcept {
  Double4 sum = F[0] * F[0];
  for (std::size_t i = 1; i < 9; ++i)
    sum += F[i] * F[i];
  return sum;
}

/// E = (F^T F - I) / 2
[[nodiscard]] inline Symmetric4 green_strain(const Matrix4& F) noexcept {
  Symmetric4 E = right_cauchy_green(F);
  for (std::size_t i = 0; i < 3; ++i)
    E[i] -= 1;
  for (Double4& entry : E)
    entry *= 0.5;
  return E;
}

/// (F + F^T) / 2 - I
[[nodiscard]] inline Symmetric4 small_strain(const Matrix4& F) noexcept {
  return {F[0] - 1,           F[4] - 1, F[8] - 1, 0.5 * (F[1] + F[3]), 0.5 * (F[2] + F[6]),
          0.5 * (F[5] + F[7])};
}

/// mu |e|^2 + lambda/2 tr(e)^2
[[nodiscard]] inline Double4 hooke_energy(const Lame& lame, const Symmetric4& e) noexcept {
  const Double4 trace = e[0] + e[1] + e[2];
  const Double4 squares =
      e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + 2 * (e[3] * e[3] + e[4] * e[4] + e[5] * e[5]);
  return lame.mu * squares + 0.5 * lame.lambda * trace * trace;
}

/// 2 mu e + lambda tr(e) I
[[nodiscard]] inline Symmetric4 hooke_stress(const Lame& lame, const Symmetric4& e) noexcept {
  const Double4 pressure = lame.lambda * (e[0] + e[1] + e[2]);
  Symmetric4 stress;
  for (std::size_t i = 0; i < 6; ++i)
    stress[i] = 2 * lame.mu * e[i];
  for (std::size_t i = 0; i < 3; ++i)
    stress[i] += pressure;
  return stress;
}

/// a A + b B
[[nodiscard]] inline Matrix4 combination(Double4 a, const Matrix4& A, Double4 b,
                                         const Matrix4& B) noexcept {
  Matrix4 sum;
  for (std::size_t i = 0; i < 9; ++i)
    sum[i] = a * A[i] + b * B[i];
  return sum;
}

/// Infinite in lanes with J <= 0.
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

[[nodiscard]] inline Checked4<Double4> energy4(const StVenantKirchhoff& energy,
                                               const Matrix4& F) noexcept {
  return {hooke_energy(energy.lame, green_strain(F)), every_lane};
}

[[nodiscard]] inline Checked4<Matrix4> stress4(const StVenantKirchhoff& energy,
                                               const Matrix4& F) noexcept {
  return {times(F, hooke_stress(energy.lame, green_strain(F))), every_lane};
}

[[nodiscard]] inline Checked4<Double4> energy4(const LinearElasticity& energy,
                                               const Matrix4& F) noexcept {
  return {hooke_energy(energy.lame, small_strain(F)), every_lane};
}

[[nodiscard]] inline Checked4<Matrix4> stress4(const LinearElasticity& energy,
                                               const Matrix4& F) noexcept {
  const Symmetric4 s = hooke_stress(energy.lame, small_strain(F));
  return {{s[0], s[3], s[4], s[3], s[1], s[5], s[4], s[5], s[2]}, every_lane};
}

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

}  // namespace sluice::solid
