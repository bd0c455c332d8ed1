// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/solid/isotropic/lame.h"
#include "solver/solid/isotropic/stretches.h"

namespace sluice::solid {

/// St. Venant-Kirchhoff: Psi = mu |E|^2 + lambda/2 tr(E)^2, E = (F^T F - I)/2. [Yang2023] (2.5),
/// corrected. Linear in E, soft in compression: it does not resist inversion, and is as stiff
/// mirrored as not.
struct SaintVenantKirchhoff {
  static constexpr const char* name = "saint_venant_kirchhoff";
  static constexpr bool needs_orientation = true;
  Lame lame;

  /// tr E
  template <typename T, std::size_t n>
  [[nodiscard]] static T trace(const Stretches<T, n>& s) {
    return 0.5 * (sum_of_squares(s) - static_cast<double>(n));
  }

  template <typename T, std::size_t n>
  [[nodiscard]] T energy(const Stretches<T, n>& s) const {
    T squares = s[0] * 0;
    for (std::size_t i = 0; i < n; ++i) {
      const T e = 0.5 * (s[i] * s[i] - 1);
      squares += e * e;
    }
    const T t = trace(s);
    return lame.mu * squares + 0.5 * lame.lambda * t * t;
  }

  template <typename T, std::size_t n>
  [[nodiscard]] Stretches<T, n> gradient(const Stretches<T, n>& s) const {
    const T pressure = lame.lambda * trace(s);
    Stretches<T, n> g{};
    for (std::size_t i = 0; i < n; ++i)
      g[i] = s[i] * (lame.mu * (s[i] * s[i] - 1) + pressure);
    return g;
  }

  template <typename T, std::size_t n>
  [[nodiscard]] StretchMatrix<T, n> hessian(const Stretches<T, n>& s) const {
    const T pressure = lame.lambda * trace(s);
    StretchMatrix<T, n> H{};
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j)
        H[i][j] = lame.lambda * s[i] * s[j];
      H[i][i] += lame.mu * (3 * s[i] * s[i] - 1) + pressure;
    }
    return H;
  }

  template <typename T, std::size_t n>
  [[nodiscard]] T flip(const Stretches<T, n>& s, std::size_t i, std::size_t j) const {
    return lame.mu * (s[i] * s[i] + s[i] * s[j] + s[j] * s[j] - 1) + lame.lambda * trace(s);
  }
  template <typename T, std::size_t n>
  [[nodiscard]] T twist(const Stretches<T, n>& s, std::size_t i, std::size_t j) const {
    return lame.mu * (s[i] * s[i] - s[i] * s[j] + s[j] * s[j] - 1) + lame.lambda * trace(s);
  }
  template <typename T>
  [[nodiscard]] T flip_slope(const Stretches<T, 3>& s) const {
    return lame.mu * (s[0] + s[1] + s[2]);
  }
};

}  // namespace sluice::solid
