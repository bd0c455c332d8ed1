// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

namespace sluice::solid {

/// Principal stretches: signed singular values of the deformation gradient.
///
/// An energy of this folder is a class with these members, where n is 2 or 3, s are n stretches,
/// and T is double; what packets take has T as a parameter instead (energy_packet.h):
///   static constexpr const char* name  in small letters; in capitals its value of ElasticModel
///   Lame lame                the only parameters that a scene gives, and its first member
///   T energy(s)              Psi [J/m^3], 0 at rest; finite for all stretches > 0
///   Stretches<T, n> gradient(s)  dPsi/ds_i [Pa]
///   StretchMatrix<T, n> hessian(s)  d2Psi/(ds_i ds_j) [Pa]
///   T flip(s, i, j)          (dPsi/ds_i - dPsi/ds_j) / (s_i - s_j), without dividing 0 by 0
///   T twist(s, i, j)         (dPsi/ds_i + dPsi/ds_j) / (s_i + s_j), likewise
///   T flip_slope(s)          (flip(s, 0, 1) - flip(s, 1, 2)) / (s_0 - s_2), likewise; the same in
///                            any order of the axes. For n = 3, if StretchProximal is to take it
///   static constexpr bool needs_orientation  whether a proximal step keeps all stretches >= 0
/// With n = 2 it is the energy in three dimensions at a third stretch of 1: plane strain.
template <typename T, std::size_t n>
using Stretches = std::array<T, n>;

template <typename T, std::size_t n>
using StretchMatrix = std::array<std::array<T, n>, n>;

/// Volume ratio.
template <typename T, std::size_t n>
[[nodiscard]] constexpr T product(const Stretches<T, n>& s) {
  if constexpr (n == 2) {
    return s[0] * s[1];
  } else {
    return s[0] * s[1] * s[2];
  }
}

/// Derivative of the volume ratio by stretch i: the product of the others.
template <typename T, std::size_t n>
[[nodiscard]] constexpr T cofactor(const Stretches<T, n>& s, std::size_t i) {
  if constexpr (n == 2) {
    return s[1 - i];
  } else {
    return s[(i + 1) % 3] * s[(i + 2) % 3];
  }
}

/// Second derivative of the volume ratio by stretches i and j, not equal: the third stretch.
template <typename T, std::size_t n>
[[nodiscard]] constexpr T second_cofactor(const Stretches<T, n>& s, std::size_t i, std::size_t j) {
  if constexpr (n == 2) {
    return s[0] * 0 + 1;
  } else {
    return s[3 - i - j];
  }
}

template <typename T, std::size_t n>
[[nodiscard]] constexpr T sum_of_squares(const Stretches<T, n>& s) {
  if constexpr (n == 2) {
    return s[0] * s[0] + s[1] * s[1];
  } else {
    return s[0] * s[0] + s[1] * s[1] + s[2] * s[2];
  }
}

}  // namespace sluice::solid
