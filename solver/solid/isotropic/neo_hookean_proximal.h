// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "solver/simd/four_doubles.h"
#include "solver/solid/isotropic/matrix_packet.h"
#include "solver/solid/isotropic/neo_hookean.h"

namespace sluice::solid {

using namespace simd;

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
  /// The state of one packet between the stages.
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
    Symmetric4 Q = square(C);
    for (std::size_t i = 0; i < 6; ++i)
      Q[i] = c1 * C[i] + f012 * Q[i];
    for (std::size_t i = 0; i < 3; ++i)
      Q[i] += c0;
    return times(P, Q);
  }

 private:
  static constexpr double tolerance =
      1e-5;  ///< For the step in L, which leaves an error of its square.
  static constexpr double least_square = 1e-6;  ///< g^2 over a^2, at least: convexity ends at 0.

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
  double growth_;  ///< Growth of log J from P to Z, to first order.
};

}  // namespace sluice::solid
