// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <limits>

#include "solver/simd/four_doubles.h"

/// Algebra of four matrices at once.
namespace sluice::solid {

using namespace simd;

/// Four matrices 3x3, entries column by column.
using Matrix4 = std::array<Double4, 9>;

/// Four symmetric matrices: xx, yy, zz, xy, xz, yz.
using Symmetric4 = std::array<Double4, 6>;

/// Derivative of the determinant: the matrix of cofactors, det F F^-T.
[[nodiscard]] inline Matrix4 cofactors(const Matrix4& F) noexcept {
  return {F[4] * F[8] - F[5] * F[7], F[5] * F[6] - F[3] * F[8], F[3] * F[7] - F[4] * F[6],
          F[2] * F[7] - F[1] * F[8], F[0] * F[8] - F[2] * F[6], F[1] * F[6] - F[0] * F[7],
          F[1] * F[5] - F[2] * F[4], F[2] * F[3] - F[0] * F[5], F[0] * F[4] - F[1] * F[3]};
}

[[nodiscard]] inline Double4 determinant4(const Matrix4& F) noexcept {
  return F[0] * (F[4] * F[8] - F[5] * F[7]) + F[1] * (F[5] * F[6] - F[3] * F[8]) +
         F[2] * (F[3] * F[7] - F[4] * F[6]);
}

/// F^T F
[[nodiscard]] inline Symmetric4 right_cauchy_green(const Matrix4& F) noexcept {
  const auto dot = [&](std::size_t i, std::size_t j) {
    return F[3 * i] * F[3 * j] + F[3 * i + 1] * F[3 * j + 1] + F[3 * i + 2] * F[3 * j + 2];
  };
  return {dot(0, 0), dot(1, 1), dot(2, 2), dot(0, 1), dot(0, 2), dot(1, 2)};
}

/// C^2
[[nodiscard]] inline Symmetric4 square(const Symmetric4& C) noexcept {
  return {C[0] * C[0] + C[3] * C[3] + C[4] * C[4], C[3] * C[3] + C[1] * C[1] + C[5] * C[5],
          C[4] * C[4] + C[5] * C[5] + C[2] * C[2], C[0] * C[3] + C[3] * C[1] + C[4] * C[5],
          C[0] * C[4] + C[3] * C[5] + C[4] * C[2], C[3] * C[4] + C[1] * C[5] + C[5] * C[2]};
}

/// P Q
[[nodiscard]] inline Matrix4 times(const Matrix4& P, const Symmetric4& Q) noexcept {
  Matrix4 Z;
  for (std::size_t i = 0; i < 3; ++i) {
    Z[i] = P[i] * Q[0] + P[3 + i] * Q[3] + P[6 + i] * Q[4];
    Z[3 + i] = P[i] * Q[3] + P[3 + i] * Q[1] + P[6 + i] * Q[5];
    Z[6 + i] = P[i] * Q[4] + P[3 + i] * Q[5] + P[6 + i] * Q[2];
  }
  return Z;
}

/// Eigenvalues of symmetric matrices, by the cubic in closed form [Smith1961]: with q a third of
/// the trace and p^2 a sixth of the square of B = C - q I, they are q + p y where y^3 - 3 y = 2 r,
/// r = det(B / p) / 2. The y farthest from 0 is found first, which is well conditioned, by a
/// polynomial and one step of Halley's; the other two follow from a quadratic. Returned in that
/// order: the least is the first or the last.
///
/// Accuracy: the coefficients of the characteristic polynomial to rounding; two eigenvalues close
/// to each other are off by up to the root of that, which cancels in symmetric functions of them.
[[nodiscard]] inline std::array<Double4, 3> eigenvalues4(const Symmetric4& C) noexcept {
  const Double4 q = (C[0] + C[1] + C[2]) * (1.0 / 3);
  const Double4 x = C[0] - q, y = C[1] - q, z = C[2] - q;
  const Double4 off = C[3] * C[3] + C[4] * C[4] + C[5] * C[5];
  const Double4 square = (x * x + y * y + z * z + 2 * off) * (1.0 / 6);
  const Double4 tiny = splat4(std::numeric_limits<double>::min());
  const Double4 p = sqrt4(square);
  const Double4 determinant =
      x * (y * z - C[5] * C[5]) - C[3] * (C[3] * z - C[5] * C[4]) + C[4] * (C[3] * C[5] - y * C[4]);
  const Double4 signed_r = 0.5 * determinant / max4(p * square, tiny);
  Double4 r = abs4(signed_r);
  r = r > 1 ? splat4(1) : r;
  // 2 cos(arccos(r) / 3) by the polynomial through five Chebyshev nodes, to 1.0e-5; then to 7e-16.
  Double4 a =
      1.732060864045382 +
      r * (0.33282344357519167 +
           r * (-0.09184386626152735 + r * (0.03502437715042064 - r * 0.008070797433310501)));
  const Double4 f = a * (a * a - 3) - 2 * r, slope = 3 * a * a - 3;
  a -= f * slope / (slope * slope - 3 * f * a);
  const Double4 discriminant = 12 - 3 * a * a;
  const Double4 root = sqrt4(max4(discriminant, splat4(0)));
  const Double4 side = signed_r < 0 ? -p : p;
  return {q + side * a, q - 0.5 * side * (a - root), q - 0.5 * side * (a + root)};
}

}  // namespace sluice::solid
