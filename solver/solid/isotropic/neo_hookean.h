// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

#include "solver/solid/isotropic/lame.h"
#include "solver/solid/isotropic/stretches.h"

namespace sluice::solid {

/// Neo-Hookean: Psi = mu/2 (|F|^2 - 3) - mu log J + lambda/2 log(J)^2, J = det F; infinite for
/// J <= 0. [Yang2023] (2.6), [Bonet2008] (6.28)
struct NeoHookean {
  static constexpr const char* name = "neo_hookean";
  static constexpr bool needs_orientation = true;
  Lame lame;

  template <std::size_t n>
  [[nodiscard]] double energy(const Stretches<double, n>& s) const {
    const double J = product(s);
    if (!(J > 0)) return std::numeric_limits<double>::infinity();
    const double log_j = std::log(J);
    return 0.5 * lame.mu * (sum_of_squares(s) - static_cast<double>(n)) - lame.mu * log_j +
           0.5 * lame.lambda * log_j * log_j;
  }

  template <std::size_t n>
  [[nodiscard]] Stretches<double, n> gradient(const Stretches<double, n>& s) const {
    const double c = lame.lambda * std::log(product(s)) - lame.mu;
    Stretches<double, n> g{};
    for (std::size_t i = 0; i < n; ++i)
      g[i] = lame.mu * s[i] + c / s[i];
    return g;
  }

  template <std::size_t n>
  [[nodiscard]] StretchMatrix<double, n> hessian(const Stretches<double, n>& s) const {
    const double c = lame.lambda * std::log(product(s)) - lame.mu;
    StretchMatrix<double, n> H{};
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j)
        H[i][j] = lame.lambda / (s[i] * s[j]);
      H[i][i] += lame.mu - c / (s[i] * s[i]);
    }
    return H;
  }

  template <std::size_t n>
  [[nodiscard]] double flip(const Stretches<double, n>& s, std::size_t i, std::size_t j) const {
    return lame.mu - (lame.lambda * std::log(product(s)) - lame.mu) / (s[i] * s[j]);
  }
  template <std::size_t n>
  [[nodiscard]] double twist(const Stretches<double, n>& s, std::size_t i, std::size_t j) const {
    return lame.mu + (lame.lambda * std::log(product(s)) - lame.mu) / (s[i] * s[j]);
  }
};

}  // namespace sluice::solid
