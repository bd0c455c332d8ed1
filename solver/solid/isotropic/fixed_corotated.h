// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/solid/isotropic/lame.h"
#include "solver/solid/isotropic/stretches.h"

namespace sluice::solid {

/// Fixed-corotated: Psi = mu |F - R|^2 + lambda/2 (J - 1)^2, R the rotation of F. [Stomakhin2012]
/// (3.3). Finite for every F; where two stretches are opposite R jumps, and there `twist` is that
/// of a sum of `least_sum`.
struct FixedCorotated {
  static constexpr const char* name = "fixed_corotated";
  static constexpr bool needs_orientation = false;
  static constexpr double least_sum = 1e-9;  ///< Keeps twist finite; far below any real stretch.
  Lame lame;

  template <typename T, std::size_t n>
  [[nodiscard]] T energy(const Stretches<T, n>& s) const {
    T squares = s[0] * 0;
    for (std::size_t i = 0; i < n; ++i)
      squares += (s[i] - 1) * (s[i] - 1);
    const T growth = product(s) - 1;
    return lame.mu * squares + 0.5 * lame.lambda * growth * growth;
  }

  template <typename T, std::size_t n>
  [[nodiscard]] Stretches<T, n> gradient(const Stretches<T, n>& s) const {
    const T pressure = lame.lambda * (product(s) - 1);
    Stretches<T, n> g{};
    for (std::size_t i = 0; i < n; ++i)
      g[i] = 2 * lame.mu * (s[i] - 1) + pressure * cofactor(s, i);
    return g;
  }

  template <typename T, std::size_t n>
  [[nodiscard]] StretchMatrix<T, n> hessian(const Stretches<T, n>& s) const {
    const T pressure = lame.lambda * (product(s) - 1);
    StretchMatrix<T, n> H{};
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        H[i][j] = lame.lambda * cofactor(s, i) * cofactor(s, j);
        if (i != j) H[i][j] += pressure * second_cofactor(s, i, j);
      }
      H[i][i] += 2 * lame.mu;
    }
    return H;
  }

  template <typename T, std::size_t n>
  [[nodiscard]] T flip(const Stretches<T, n>& s, std::size_t i, std::size_t j) const {
    return 2 * lame.mu - lame.lambda * (product(s) - 1) * second_cofactor(s, i, j);
  }
  template <typename T, std::size_t n>
  [[nodiscard]] T twist(const Stretches<T, n>& s, std::size_t i, std::size_t j) const {
    const T sum = s[i] + s[j];
    return 2 * lame.mu - 4 * lame.mu / (sum > least_sum ? sum : T(sum * 0 + least_sum)) +
           lame.lambda * (product(s) - 1) * second_cofactor(s, i, j);
  }
  template <typename T>
  [[nodiscard]] T flip_slope(const Stretches<T, 3>& s) const {
    return lame.lambda * (product(s) - 1);
  }
};

}  // namespace sluice::solid
