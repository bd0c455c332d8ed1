// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "solver/solid/isotropic/lame.h"
#include "solver/solid/isotropic/stretches.h"

namespace sluice::solid {

/// Stable Neo-Hookean: Psi = m/2 (I_C - 3) + l/2 (J - a)^2 - m/2 log(I_C + 1), less its value at
/// rest, with I_C = |F|^2. [Smith2018] (14). Finite for every F, inverted ones too.
///
/// m = 4/3 mu and l = lambda + 5/6 mu make it agree with linear elasticity for small strain
/// ([Smith2018] 3.4), and a = 1 + 3 m / (4 l) makes rest free of stress ((13), rest stability).
struct StableNeoHookean {
  static constexpr const char* name = "stable_neo_hookean";
  static constexpr bool needs_orientation = false;
  Lame lame;

  // Always inlined: packet_kernels.cpp calls them too, and compiles them otherwise.
  [[nodiscard, gnu::always_inline]] double m() const { return 4.0 / 3 * lame.mu; }
  [[nodiscard, gnu::always_inline]] double l() const { return lame.lambda + 5.0 / 6 * lame.mu; }
  [[nodiscard, gnu::always_inline]] double a() const { return 1 + 0.75 * m() / l(); }

  /// I_C + 1, 4 at rest: of three stretches, the third is 1 where n is 2.
  template <typename T, std::size_t n>
  [[nodiscard]] static T invariant(const Stretches<T, n>& s) {
    return sum_of_squares(s) + static_cast<double>(4 - n);
  }

  template <typename T, std::size_t n>
  [[nodiscard]] T energy(const Stretches<T, n>& s) const {
    using std::log;
    const T J = product(s), I = invariant(s);
    return 0.5 * m() * (I - 4 - log(0.25 * I)) + 0.5 * l() * (J - 1) * (J + 1 - 2 * a());
  }

  template <typename T, std::size_t n>
  [[nodiscard]] Stretches<T, n> gradient(const Stretches<T, n>& s) const {
    const T shear = m() * (1 - 1 / invariant(s)), pressure = l() * (product(s) - a());
    Stretches<T, n> g{};
    for (std::size_t i = 0; i < n; ++i)
      g[i] = shear * s[i] + pressure * cofactor(s, i);
    return g;
  }

  template <typename T, std::size_t n>
  [[nodiscard]] StretchMatrix<T, n> hessian(const Stretches<T, n>& s) const {
    const T reciprocal = 1 / invariant(s), pressure = l() * (product(s) - a());
    const T curvature = 2 * m() * reciprocal * reciprocal;
    StretchMatrix<T, n> H{};
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        H[i][j] = curvature * s[i] * s[j] + l() * cofactor(s, i) * cofactor(s, j);
        if (i != j) H[i][j] += pressure * second_cofactor(s, i, j);
      }
      H[i][i] += m() * (1 - reciprocal);
    }
    return H;
  }

  template <typename T, std::size_t n>
  [[nodiscard]] T flip(const Stretches<T, n>& s, std::size_t i, std::size_t j) const {
    return m() * (1 - 1 / invariant(s)) - l() * (product(s) - a()) * second_cofactor(s, i, j);
  }
  template <typename T, std::size_t n>
  [[nodiscard]] T twist(const Stretches<T, n>& s, std::size_t i, std::size_t j) const {
    return m() * (1 - 1 / invariant(s)) + l() * (product(s) - a()) * second_cofactor(s, i, j);
  }
  template <typename T>
  [[nodiscard]] T flip_slope(const Stretches<T, 3>& s) const {
    return l() * (product(s) - a());
  }
};

}  // namespace sluice::solid
