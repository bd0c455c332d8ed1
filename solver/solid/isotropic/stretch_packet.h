// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "solver/simd/four_doubles.h"
#include "solver/solid/isotropic/matrix_packet.h"
#include "solver/solid/isotropic/stretches.h"

/// Functions of the stretches of four matrices at once, without singular vectors.
namespace sluice::solid {

using namespace simd;

/// The signed stretches of four matrices F, in no order but that the one of the least magnitude has
/// the sign of det F.
struct Stretches4 {
  Stretches<Double4, 3> s;
  Long4 is_good;  ///< Lanes in which `stretch_function` is accurate.
};

/// Lanes are good that are neither squashed to 1/1000, nor to 1/300 in two directions, nor mirrored
/// so that two stretches are nearly opposite, where the decomposition jumps; and whose squares do
/// not overflow. The least stretch comes from the determinant, which squashing costs fewer digits
/// than the least eigenvalue of F^T F.
[[nodiscard]] inline Stretches4 stretches4(const Matrix4& F) noexcept {
  constexpr double least_square = 1e-5, least_of_all = 1e-3, least_sum = 1e-2;
  const Symmetric4 C = right_cauchy_green(F);
  const std::array<Double4, 3> l = eigenvalues4(C);
  const Double4 trace = C[0] + C[1] + C[2], limit = least_square * trace;
  const Long4 is_first_least = l[0] < l[2];  // See eigenvalues4.
  const Double4 other_square = is_first_least ? l[2] : l[0];
  Stretches4 found{};
  found.is_good = (l[1] > limit) & (other_square > limit) & (trace < 1e100);
  const Double4 middle = sqrt4(found.is_good ? l[1] : splat4(1));
  const Double4 other = sqrt4(found.is_good ? other_square : splat4(1));
  const Double4 least = determinant4(F) / (middle * other);
  found.s = {is_first_least ? least : other, middle, is_first_least ? other : least};
  const Double4 size = sqrt4(trace);
  found.is_good &= (abs4(least) > least_of_all * size) & (middle + least > least_sum * size);
  return found;
}

/// A function h of the stretches by its values at them: h(s_0), and divided differences.
struct DividedDifferences {
  Double4 h0, h01, h012;
};

/// U h(Sigma) V^T for F = U Sigma V^T with stretches s, in their good lanes.
///
/// With the signed root S = V Sigma V^T of C = F^T F it is F S^-1 h(S), where h(S) is the quadratic
/// through h at the stretches [Higham2008] (1.10). S and its inverse are polynomials in C as well,
/// by the theorem of Cayley and Hamilton [Hoger1984]: with i1, i2, i3 the elementary symmetric
/// functions of s and d = i1 i2 - i3,
///   d S = (i1^2 - i2) C + i1 i3 I - C^2,    i3 S^-1 = C - i1 S + i2 I.
/// Nothing is divided by a difference of stretches: equal ones need no case.
[[nodiscard]] inline Matrix4 stretch_function(const Matrix4& F, const Stretches<Double4, 3>& s,
                                              const DividedDifferences& h) noexcept {
  const Double4 s01 = s[0] * s[1];
  const Double4 i1 = s[0] + s[1] + s[2], i2 = s01 + (s[0] + s[1]) * s[2], i3 = s01 * s[2];
  const Double4 d = (s[0] + s[1]) * (s[1] + s[2]) * (s[2] + s[0]);
  const Double4 reciprocal = 1 / (d * i3);
  // h(S) = k0 I + k1 S + h012 S^2, and S^2 = C.
  const Double4 k1 = h.h01 - h.h012 * (s[0] + s[1]);
  const Double4 k0 = (h.h0 - h.h01 * s[0] + h.h012 * s01) * d * reciprocal;  // Over i3.
  const Double4 root = (h.h012 - k0 * i1) * i3 * reciprocal;                 // Times d S.
  const Symmetric4 C = right_cauchy_green(F);
  Symmetric4 Q = square(C);
  const Double4 q1 = k0 + root * (i1 * i1 - i2), q0 = k1 + k0 * i2 + root * i1 * i3;
  for (std::size_t i = 0; i < 6; ++i)
    Q[i] = q1 * C[i] - root * Q[i];
  for (std::size_t i = 0; i < 3; ++i)
    Q[i] += q0;
  return times(F, Q);
}

/// V h(Sigma) V^T of the same, for C = F^T F.
[[nodiscard]] inline Symmetric4 symmetric_function(const Symmetric4& C,
                                                   const Stretches<Double4, 3>& s,
                                                   const DividedDifferences& h) noexcept {
  const Double4 s01 = s[0] * s[1];
  const Double4 i1 = s[0] + s[1] + s[2], i2 = s01 + (s[0] + s[1]) * s[2], i3 = s01 * s[2];
  const Double4 k1 = (h.h01 - h.h012 * (s[0] + s[1])) /
                     ((s[0] + s[1]) * (s[1] + s[2]) * (s[2] + s[0]));  // Times d S.
  const Double4 q1 = h.h012 + k1 * (i1 * i1 - i2);
  const Double4 q0 = h.h0 - h.h01 * s[0] + h.h012 * s01 + k1 * i1 * i3;
  Symmetric4 Q = square(C);
  for (std::size_t i = 0; i < 6; ++i)
    Q[i] = q1 * C[i] - k1 * Q[i];
  for (std::size_t i = 0; i < 3; ++i)
    Q[i] += q0;
  return Q;
}

}  // namespace sluice::solid
