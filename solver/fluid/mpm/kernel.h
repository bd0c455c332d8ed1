// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/scene/scene.h"
#include "solver/simd/vectors.h"

namespace sluice::fluid {

using namespace simd;

/// B-splines of degree 2 and 3 on nodes at the integers. A particle's 3D weight is the product of
/// its axes' weights.
///
/// base(X): the first node whose weight may differ from 0, by axis. weights(d, w): of the nodes
/// base, base + 1, ... on one axis, for a particle at d = X - (base + 1): in [-1/2, 1/2) quadratic,
/// [0, 1) cubic; a float, or a vector of them. w >= 0, their sum is 1, their first moment exactly
/// X. `inertia_inverse`: D^-1 in units of 1/cell^2, where D = sum_i w_i (x_i - x)(x_i - x)^T, a
/// multiple of I for these two splines. [Jiang2015] section 5.2, table 2 ff.
template <scene::Kernel>
struct BSpline;

template <>
struct BSpline<scene::Kernel::quadratic> {
  static constexpr int support = 3;
  static constexpr float inertia_inverse = 4;

  template <typename Int = Int4, typename T>
  [[gnu::always_inline]] static Int base(T X) noexcept {
    return __builtin_convertvector(X - 0.5F, Int);
  }
  template <typename T>
  [[gnu::always_inline]] static void weights(T d, T (&w)[support]) noexcept {
    const T left = 0.5F - d, right = 0.5F + d;
    w[0] = 0.5F * left * left;
    w[1] = 0.75F - d * d;
    w[2] = 0.5F * right * right;
  }
};

template <>
struct BSpline<scene::Kernel::cubic> {
  static constexpr int support = 4;
  static constexpr float inertia_inverse = 3;

  template <typename Int = Int4, typename T>
  [[gnu::always_inline]] static Int base(T X) noexcept {
    return __builtin_convertvector(X - 1.0F, Int);
  }
  template <typename T>
  [[gnu::always_inline]] static void weights(T d, T (&w)[support]) noexcept {
    const T e = 1.0F - d;
    w[0] = (1.0F / 6) * e * e * e;
    w[1] = (2.0F / 3) - d * d * (1.0F - 0.5F * d);
    w[2] = (2.0F / 3) - e * e * (1.0F - 0.5F * e);
    w[3] = (1.0F / 6) * d * d * d;
  }
};

/// Weights of the nodes around a particle, for the three axes at once (lane a: axis a; lane 3
/// unspecified): w[k] of node base + k.
template <int support>
struct Weights {
  Float4 w[support];
};

template <typename Spline>
[[nodiscard]] inline Weights<Spline::support> weights_around(Float4 X, Int4 base) noexcept {
  Weights<Spline::support> result;
  Spline::weights(X - __builtin_convertvector(base, Float4) - 1.0F, result.w);
  return result;
}

}  // namespace sluice::fluid
