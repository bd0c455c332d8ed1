// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

#include "solver/simd/particle_lanes.h"

/// Functions and 3x3 matrices of `width` particles at once. Functions are series, so that the bits
/// are this build's and not the C library's.
namespace sluice::simd {

/// ln(1 + x) for x > -1, to some 3 roundings of the result, also next to 0.
template <int width>
[[nodiscard, gnu::always_inline]] inline FloatLanes<width> log_of_one_plus(
    FloatLanes<width> x) noexcept {
  using F = FloatLanes<width>;
  using I = IntLanes<width>;
  // 1 + x = 2^k f with f in [sqrt(1/2), sqrt(2)): the bits of sqrt(1/2) go to exponent 0.
  const F one_plus = 1.0F + x;
  I bits;
  std::memcpy(&bits, &one_plus, sizeof bits);
  const I shifted = bits - 0x3f3504f3;
  const I k = shifted >> 23;
  const I fraction_bits = (shifted & 0x7fffff) + 0x3f3504f3;
  F fraction;
  std::memcpy(&fraction, &fraction_bits, sizeof fraction);
  const F above_one = k == 0 ? x : fraction - 1.0F;        // Exact next to 0.
  const F z = above_one / (above_one + 2.0F), zz = z * z;  // ln f = 2 atanh z, |z| < 0.172
  const F series = zz * (1.0F / 3 + zz * (1.0F / 5 + zz * (1.0F / 7 + zz * (1.0F / 9))));
  return __builtin_convertvector(k, F) * 0.693147180559945F + 2.0F * (z + z * series);
}

/// e^x - 1 for |x| < 80, to some 3 roundings of the result, also next to 0.
template <int width>
[[nodiscard, gnu::always_inline]] inline FloatLanes<width> exp_minus_one(
    FloatLanes<width> x) noexcept {
  using F = FloatLanes<width>;
  using I = IntLanes<width>;
  const F half = x < 0 ? F{} - 0.5F : F{} + 0.5F;
  const I k = __builtin_convertvector(x * 1.4426950408889634F + half, I);
  const F whole = __builtin_convertvector(k, F);
  const F r = (x - whole * 0.693359375F) + whole * 2.12194440e-4F;  // Cody and Waite's ln 2.
  const F series =
      r * r *
      (0.5F + r * (1.0F / 6 + r * (1.0F / 24 + r * (1.0F / 120 + r * (1.0F / 720 + r / 5040.0F)))));
  const F less = r + series;
  const I power_bits = (k + 127) << 23;
  F power;
  std::memcpy(&power, &power_bits, sizeof power);
  return power * less + (power - 1.0F);
}

/// A symmetric matrix of each particle: xx, yy, zz, xy, xz, yz.
template <int width>
struct Symmetric {
  FloatLanes<width> of[6];
};

/// The place of element (r, c) of a symmetric matrix among its six.
constexpr int symmetric_place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};

/// Eigenvalues, and eigenvectors as the columns of a rotation: vectors[axis][which].
template <int width>
struct Eigen3 {
  FloatLanes<width> values[3];
  FloatLanes<width> vectors[3][3];
};

/// Finds these by Jacobi's method, cyclic, four sweeps: off-diagonals are then below rounding. The
/// error is some roundings of the largest number, so that small matrices keep their digits.
template <int width>
[[nodiscard, gnu::always_inline]] inline Eigen3<width> eigen_of(
    const Symmetric<width>& matrix) noexcept {
  using F = FloatLanes<width>;
  F a[3] = {matrix.of[0], matrix.of[1], matrix.of[2]};
  F off[3] = {matrix.of[5], matrix.of[4], matrix.of[3]};  // off[r]: of the two other axes
  Eigen3<width> e{};
  for (int axis = 0; axis < 3; ++axis)
    e.vectors[axis][axis] = F{} + 1.0F;
  for (int sweep = 0; sweep < 4; ++sweep) {
#pragma GCC unroll 3
    for (int rest = 2; rest >= 0; --rest) {
      const int p = rest == 0 ? 1 : 0, q = rest == 2 ? 1 : 2;
      // tan of the angle that makes a_pq zero, the smaller one of two.
      constexpr float tiny = 1e-30F;  // Nothing to turn: 0, not 0 / 0.
      const F twice = 2.0F * off[rest], difference = a[q] - a[p];
      const F size = (difference < 0 ? -difference : difference) +
                     square_root(difference * difference + twice * twice) + tiny;
      const F t = (difference < 0 ? -twice : twice) / size;
      const F c = 1.0F / square_root(1.0F + t * t), s = t * c;
      const F change = t * off[rest];
      a[p] -= change;
      a[q] += change;
      off[rest] = F{};
      const F of_p = off[q], of_q = off[p];  // a_rp, a_rq for the rest r
      off[q] = c * of_p - s * of_q;
      off[p] = s * of_p + c * of_q;
      for (int axis = 0; axis < 3; ++axis) {
        const F vp = e.vectors[axis][p], vq = e.vectors[axis][q];
        e.vectors[axis][p] = c * vp - s * vq;
        e.vectors[axis][q] = s * vp + c * vq;
      }
    }
  }
  for (int axis = 0; axis < 3; ++axis)
    e.values[axis] = a[axis];
  return e;
}

/// Returns the matrix with these eigenvalues and the eigenvectors of `e`.
template <int width>
[[nodiscard, gnu::always_inline]] inline Symmetric<width> compose(
    const Eigen3<width>& e, const FloatLanes<width> (&values)[3]) noexcept {
  constexpr int rows[6] = {0, 1, 2, 0, 0, 1}, columns[6] = {0, 1, 2, 1, 2, 2};
  Symmetric<width> result{};
  for (int n = 0; n < 6; ++n) {
    for (int w = 0; w < 3; ++w)
      result.of[n] += values[w] * e.vectors[rows[n]][w] * e.vectors[columns[n]][w];
  }
  return result;
}

}  // namespace sluice::simd
