// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <limits>

#include "solver/solid/isotropic/neo_hookean.h"
#include "solver/solid/packet.h"

/// Neo-Hookean stress and proximal step of four elements at once, without singular vectors.
namespace sluice::solid {

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

/// F^T F
[[nodiscard]] inline Symmetric4 right_cauchy_green(const Matrix4& F) noexcept {
  const auto dot = [&](std::size_t i, std::size_t j) {
    return F[3 * i] * F[3 * j] + F[3 * i + 1] * F[3 * j + 1] + F[3 * i + 2] * F[3 * j + 2];
  };
  return {dot(0, 0), dot(1, 1), dot(2, 2), dot(0, 1), dot(0, 2), dot(1, 2)};
}

/// Psi(F); infinite in lanes with J <= 0.
[[nodiscard]] inline Double4 energy4(const NeoHookean& energy, const Matrix4& F) noexcept {
  const auto [mu, lambda] = energy.lame;
  const Matrix4 C = cofactors(F);
  const Double4 J = F[0] * C[0] + F[1] * C[1] + F[2] * C[2];
  Double4 squares = splat4(-3);
  for (const Double4& entry : F)
    squares += entry * entry;
  const Double4 log_j = log4(J > 0 ? J : splat4(1));
  const Double4 value = 0.5 * mu * squares + log_j * (0.5 * lambda * log_j - mu);
  return J > 0 ? value : splat4(std::numeric_limits<double>::infinity());
}

/// dPsi/dF = mu F + (lambda log J - mu) F^-T. Where J > 0; else not a number in its lane.
[[nodiscard]] inline Matrix4 stress4(const NeoHookean& energy, const Matrix4& F) noexcept {
  const auto [mu, lambda] = energy.lame;
  const Matrix4 C = cofactors(F);
  const Double4 J = F[0] * C[0] + F[1] * C[1] + F[2] * C[2];
  const Double4 log_j = J > 0 ? log4(J) : splat4(std::numeric_limits<double>::quiet_NaN());
  const Double4 pressure = (lambda * log_j - mu) / J;
  Matrix4 P;
  for (std::size_t i = 0; i < 9; ++i)
    P[i] = mu * F[i] + pressure * C[i];
  return P;
}

/// Eigenvalues of symmetric matrices, by the cubic in closed form [Smith1961]: with q a third of
/// the trace and p^2 a sixth of the square of B = C - q I, they are q + p y where y^3 - 3 y = 2 r,
/// r = det(B / p) / 2. Of the three y the one farthest from 0 is found first, which is well
/// conditioned, by a polynomial and one step of Halley's; the other two follow from a quadratic.
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

/// argmin Psi(Z) + w/2 |Z - P|^2 of four matrices, for lambda >= 0, in stages: `start`, `advance`
/// until it `is_done`, `finish`. Whoever takes each stage for several packets before the next one
/// lets the processor work on all of them at once; one packet alone waits for its divisions.
///
/// Stretches z of Z and p of P fulfil (mu + w) z^2 - w p z + c = 0 with one c = lambda log J(Z) -
/// mu for all three. So z = p (a + sqrt(a^2 - b / p^2)), a = w / (2 (mu + w)), b = c / (mu + w),
/// and what is left is one equation in L = log J(Z), sum log z(L) = L, whose left side falls with
/// L: Newton. And Z = P f(P^T P) where f(l) = a + sqrt(a^2 - b / l), which is the quadratic through
/// f at the three eigenvalues [Higham2008] (1.10), with divided differences in closed form: close
/// and equal eigenvalues need no case, and singular vectors are not needed.
class NeoHookeanProximal {
 public:
  /// What is known of one packet between the stages.
  struct State {
    std::array<Double4, 3> l, inverse;  ///< Eigenvalues of P^T P, and 1 / l.
    std::array<Double4, 3> g;           ///< sqrt(a^2 - b / l)
    Double4 J, L, step, b;
    Long4 is_solved;  ///< After `finish`: lanes with an answer. The others are for `proximal`:
                      ///< mirrored, squashed to 1/300, or stretched until no longer convex.
  };

  NeoHookeanProximal(const NeoHookean& energy, double w)
      : lame_(energy.lame),
        a_(w / (2 * (lame_.mu + w))),
        m_(1 / (lame_.mu + w)),
        growth_(w / (w + 2 * lame_.mu + 3 * lame_.lambda)) {}

  [[nodiscard]] State start(const Matrix4& P) const noexcept {
    State s;
    const Symmetric4 C = right_cauchy_green(P);
    s.l = eigenvalues4(C);
    const Matrix4 cofactor = cofactors(P);
    s.J = P[0] * cofactor[0] + P[1] * cofactor[1] + P[2] * cofactor[2];
    // Squashed further than this, the least eigenvalue of P^T P has lost half of its digits.
    constexpr double least_ratio = 1e-5;
    const Double4 trace = C[0] + C[1] + C[2], least = least_ratio * trace;
    s.is_solved =
        (s.J > 0) & (s.l[0] > least) & (s.l[1] > least) & (s.l[2] > least) & (trace < 1e100);
    const Double4 l01 = s.l[0] * s.l[1], reciprocal = 1 / (l01 * s.l[2]);
    s.inverse = {s.l[1] * s.l[2] * reciprocal, s.l[0] * s.l[2] * reciprocal, l01 * reciprocal};
    // Exact for a small growth alike in all directions.
    s.L = growth_ * log4(s.is_solved ? s.J : splat4(1));
    s.step = splat4(1);
    set_roots(s);
    return s;
  }

  [[nodiscard]] bool is_done(const State& s) const noexcept { return !is_any(moving(s)); }

  /// One step of Newton.
  void advance(State& s) const noexcept {
    const std::array<Double4, 3> f{a_ + s.g[0], a_ + s.g[1], a_ + s.g[2]};
    // d log z / dL = -m lambda / (2 l f g), summed with one division.
    const std::array<Double4, 3> d{s.l[0] * f[0] * s.g[0], s.l[1] * f[1] * s.g[1],
                                   s.l[2] * f[2] * s.g[2]};
    const Double4 d01 = d[0] * d[1], product = d01 * d[2];
    const Double4 sum = (d[0] + d[1]) * d[2] + d01;
    const Double4 h = log4(s.J * f[0] * f[1] * f[2]) - s.L;
    s.step = h * product / (product + 0.5 * m_ * lame_.lambda * sum);
    s.L += s.step;
    set_roots(s);
  }

  [[nodiscard]] Matrix4 finish(const Matrix4& P, State& s) const noexcept {
    for (std::size_t i = 0; i < 3; ++i)
      s.is_solved &= s.g[i] * s.g[i] > 2 * least_square * a_ * a_;
    s.is_solved &= ~moving(s);
    const auto& [l, inverse, g, J, L, step, b, is_solved] = s;
    const Double4 l01 = l[0] * l[1];
    const Double4 f01 = b / (l01 * (g[0] + g[1]));
    const Double4 f012 = -f01 *
                         ((a_ * a_ * (l[0] + l[2]) - b) / (l[0] * g[0] + l[2] * g[2]) + g[1]) /
                         (l[2] * (g[1] + g[2]));
    // f0 I + f01 (C - l0) + f012 (C - l0)(C - l1), as a polynomial in C.
    const Double4 c1 = f01 - f012 * (l[0] + l[1]);
    const Double4 c0 = a_ + g[0] - f01 * l[0] + f012 * l01;
    const Symmetric4 C = right_cauchy_green(P);
    const Symmetric4 square{
        C[0] * C[0] + C[3] * C[3] + C[4] * C[4], C[3] * C[3] + C[1] * C[1] + C[5] * C[5],
        C[4] * C[4] + C[5] * C[5] + C[2] * C[2], C[0] * C[3] + C[3] * C[1] + C[4] * C[5],
        C[0] * C[4] + C[3] * C[5] + C[4] * C[2], C[3] * C[4] + C[1] * C[5] + C[5] * C[2]};
    Symmetric4 Q;
    for (std::size_t i = 0; i < 6; ++i)
      Q[i] = c1 * C[i] + f012 * square[i];
    for (std::size_t i = 0; i < 3; ++i)
      Q[i] += c0;
    Matrix4 Z;
    for (std::size_t i = 0; i < 3; ++i) {
      Z[i] = P[i] * Q[0] + P[3 + i] * Q[3] + P[6 + i] * Q[4];
      Z[3 + i] = P[i] * Q[3] + P[3 + i] * Q[1] + P[6 + i] * Q[5];
      Z[6 + i] = P[i] * Q[4] + P[3 + i] * Q[5] + P[6 + i] * Q[2];
    }
    return Z;
  }

 private:
  static constexpr double tolerance =
      1e-5;  ///< Of L, of a step that leaves an error of its square.
  static constexpr double least_square = 1e-6;  ///< Of g^2 in a^2: 0 is where convexity ends.

  [[nodiscard]] static Long4 moving(const State& s) noexcept {
    return s.is_solved & (abs4(s.step) > tolerance);
  }

  void set_roots(State& s) const noexcept {
    s.b = m_ * (lame_.lambda * s.L - lame_.mu);
    for (std::size_t i = 0; i < 3; ++i)
      s.g[i] = sqrt4(max4(a_ * a_ - s.b * s.inverse[i], splat4(least_square * a_ * a_)));
  }

  Lame lame_;
  double a_, m_;
  double growth_;  ///< Of log J, from P to Z, to first order.
};

}  // namespace sluice::solid
