// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <limits>

#include "solver/simd/four_doubles.h"
#include "solver/solid/isotropic/lame.h"
#include "solver/solid/isotropic/matrix_packet.h"
#include "solver/solid/isotropic/stretch_packet.h"

/// The parts of an energy's packet: functions of four elements at once, which PacketTets takes in
/// place of those of derivatives.h and proximal.h. An energy may have one, beside it in a file
/// `<name>_packet.h`, which packets.h then lists:
///
///   Checked4<Double4> energy4(energy, F)      Psi [J/m^3]
///   Checked4<Matrix4> stress4(energy, F)      dPsi/dF [Pa]
///   HessianTerms hessian_terms(energy, F)     if its Hessian has that form; else tets make theirs
///                                             one at a time
///   Proximal packet_proximal(energy, w)       the local step, in stages, as an object of a class
///                                             like StretchProximal, which serves every energy with
///                                             a `flip_slope`; or
///   Matrix4 proximal4(energy, P, w)           the local step at P where it has a closed form
///   bool packets_serve(energy)                  if it is not for all of its parameters
namespace sluice::solid {

using namespace simd;

/// Values of four elements; where a lane is not good, the functions of derivatives.h have to serve.
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

/// d2Psi/dF2 = shift I + strain f f^T + growth g g^T + turn dg/dF - spin dR/dF, with f the entries
/// of F, g = dJ/dF its cofactors, and R its rotation. [Pa]
struct HessianTerms {
  Double4 shift, strain, growth, turn, spin;
  Long4 is_good;
};

}  // namespace sluice::solid
