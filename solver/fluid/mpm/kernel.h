// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/fluid/mpm/simd.h"
#include "solver/scene/scene.h"

namespace sluice::fluid {

/// Weights of the nodes around a particle, for the three axes at once (lane a: axis a; lane 3
/// unspecified).
template <int support>
struct Weights {
  Float4 w[support];  ///< w[k]: of node base + k; >= 0, sum 1, first moment exactly the particle's
                      ///< position.
  Float4 offset;      ///< particle - (base + 1), in cells: in [-1/2, 1/2) quadratic, [0, 1) cubic.
};

/// B-splines of degree 2 and 3 on nodes at the integers. A particle's 3D weight is the product of
/// its axes' weights.
///
/// base(X): the first node whose weight may differ from 0. `inertia_inverse`: D^-1 in units of
/// 1/cell^2, where D = sum_i w_i (x_i - x)(x_i - x)^T, a multiple of I for these two splines.
/// [Jiang2015] section 5.2, table 2 ff.
template <scene::Kernel>
struct BSpline;

template <>
struct BSpline<scene::Kernel::quadratic> {
  static constexpr int support = 3;
  static constexpr float inertia_inverse = 4;

  static Int4 base(Float4 X) noexcept { return __builtin_convertvector(X - splat(0.5F), Int4); }
  static Weights<support> weights(Float4 X, Int4 base) noexcept {
    const Float4 d = X - __builtin_convertvector(base, Float4) - splat(1.0F);
    const Float4 left = splat(0.5F) - d, right = splat(0.5F) + d;
    return {{splat(0.5F) * left * left, splat(0.75F) - d * d, splat(0.5F) * right * right}, d};
  }
};

template <>
struct BSpline<scene::Kernel::cubic> {
  static constexpr int support = 4;
  static constexpr float inertia_inverse = 3;

  static Int4 base(Float4 X) noexcept { return __builtin_convertvector(X - splat(1.0F), Int4); }
  static Weights<support> weights(Float4 X, Int4 base) noexcept {
    const Float4 d = X - __builtin_convertvector(base, Float4) - splat(1.0F);
    const Float4 e = splat(1.0F) - d;
    const Float4 sixth = splat(1.0F / 6), two_thirds = splat(2.0F / 3);
    return {{sixth * e * e * e, two_thirds - d * d * (splat(1.0F) - splat(0.5F) * d),
             two_thirds - e * e * (splat(1.0F) - splat(0.5F) * e), sixth * d * d * d},
            d};
  }
};

}  // namespace sluice::fluid
