// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "solver/simd/four_doubles.h"
#include "solver/solid/isotropic/energy_packet.h"
#include "solver/solid/isotropic/matrix_packet.h"
#include "solver/solid/isotropic/stretch_packet.h"

/// Projected Hessians of four elements at once, for energies of |F|^2, J and tr S.
namespace sluice::solid {

using namespace simd;

/// Returns the lanes in which the Hessian is positive semidefinite but for twists: its eigenvalues
/// are, by axis k, shift - turn s_k (flips), and those of the scalings' matrix. [Smith2019] (4)
[[nodiscard]] inline Long4 is_convex_but_for_twists(const HessianTerms& terms,
                                                    const Stretches<Double4, 3>& s) noexcept {
  StretchMatrix<Double4, 3> A;
  Long4 is_convex = every_lane;
  for (std::size_t i = 0; i < 3; ++i) {
    is_convex &= terms.shift - terms.turn * s[i] >= 0;
    for (std::size_t j = 0; j < 3; ++j) {
      A[i][j] = terms.strain * s[i] * s[j] + terms.growth * cofactor(s, i) * cofactor(s, j);
      A[i][j] += i == j ? terms.shift : terms.turn * second_cofactor(s, i, j);
    }
  }
  const Double4 c00 = A[1][1] * A[2][2] - A[1][2] * A[1][2];
  const Double4 c01 = A[0][2] * A[1][2] - A[0][1] * A[2][2];
  const Double4 c02 = A[0][1] * A[1][2] - A[0][2] * A[1][1];
  return is_convex & (A[2][2] > 0) & (c00 > 0) &
         (A[0][0] * c00 + A[0][1] * c01 + A[0][2] * c02 > 0);
}

/// Divided differences of values at the stretches, which need not be those of a smooth function:
/// stretches closer than a rounding's root count as equal.
[[nodiscard]] inline DividedDifferences divided_differences(
    const Stretches<Double4, 3>& s, const std::array<Double4, 3>& values) noexcept {
  constexpr double least = 1e-9;
  const Double4 size = least * (abs4(s[0]) + abs4(s[1]) + abs4(s[2]));
  const auto quotient = [&](Double4 rise, Double4 run) {
    const Long4 is_apart = abs4(run) > size;
    return is_apart ? rise / (is_apart ? run : splat4(1)) : splat4(0);
  };
  const Double4 h01 = quotient(values[1] - values[0], s[1] - s[0]);
  const Double4 h12 = quotient(values[2] - values[1], s[2] - s[1]);
  return {values[0], h01, quotient(h12 - h01, s[2] - s[0])};
}

/// Returns the Hessian, negative eigenvalues set to 0, of entries row + 9 column, times `factor`.
///
/// The twists of axis k span R [v_k]x / sqrt 2, v_k an eigenvector of C = F^T F: so a change n_k of
/// their eigenvalues adds L N L^T, where L w = R [w]x / sqrt 2 and N = sum n_k v_k v_k^T is a
/// function of C, and no singular vectors are needed. Where other eigenvalues are negative, the
/// lane is not good.
template <typename Energy>
[[nodiscard]] Long4 projected_hessian4(const Energy& energy, const Matrix4& F, Double4 factor,
                                       std::array<Double4, 81>& H) noexcept {
  HessianTerms terms = hessian_terms(energy, F);
  for (Double4* term : {&terms.shift, &terms.strain, &terms.growth, &terms.turn, &terms.spin})
    *term *= factor;
  const auto [s, is_good] = stretches4(F);
  const Matrix4 R = stretch_function(F, s, {splat4(1), splat4(0), splat4(0)});
  const Matrix4 g = cofactors(F);
  std::array<Double4, 3> change;  // Halved, for the root of 2 in L.
  for (std::size_t k = 0; k < 3; ++k) {
    const Double4 rest = terms.shift + terms.turn * s[k];
    const Double4 twist = rest - 2 * terms.spin / (s[(k + 1) % 3] + s[(k + 2) % 3]);
    change[k] = 0.5 * (max4(twist, splat4(0)) - rest);
  }
  const Symmetric4 Q = symmetric_function(right_cauchy_green(F), s, divided_differences(s, change));
  const std::array<std::array<Double4, 3>, 3> N{
      {{Q[0], Q[3], Q[4]}, {Q[3], Q[1], Q[5]}, {Q[4], Q[5], Q[2]}}};
  for (std::size_t column = 0; column < 3; ++column) {
    const std::size_t b1 = (column + 1) % 3, b2 = (column + 2) % 3;
    for (std::size_t row = 0; row <= column; ++row) {
      const std::size_t a1 = (row + 1) % 3, a2 = (row + 2) % 3;
      for (std::size_t j = 0; j < 3; ++j) {
        // R [e_c]x has the column a2 of R at a1, and less that of a1 at a2.
        const Double4 y1 = N[a1][b1] * R[3 * b2 + j] - N[a1][b2] * R[3 * b1 + j];
        const Double4 y2 = N[a2][b1] * R[3 * b2 + j] - N[a2][b2] * R[3 * b1 + j];
        const Double4 of_g = terms.growth * g[3 * column + j];
        const Double4 of_f = terms.strain * F[3 * column + j];
        for (std::size_t i = 0; i < 3; ++i) {
          Double4 sum = R[3 * a2 + i] * y1 - R[3 * a1 + i] * y2 + g[3 * row + i] * of_g +
                        F[3 * row + i] * of_f;
          if (row == column && i == j) sum += terms.shift;
          if (row != column && i != j) {
            // dg/dF: of columns (0, 1) -[f_2]x, (1, 2) -[f_0]x, (0, 2) [f_1]x.
            const bool is_negative = (column == row + 1) != ((j + 3 - i) % 3 == 2);
            const Double4 entry = terms.turn * F[3 * (3 - row - column) + (3 - i - j)];
            sum += is_negative ? entry : -entry;
          }
          H[3 * row + i + 9 * (3 * column + j)] = sum;
          H[3 * column + j + 9 * (3 * row + i)] = sum;
        }
      }
    }
  }
  return is_good & terms.is_good & is_convex_but_for_twists(terms, s);
}

}  // namespace sluice::solid
