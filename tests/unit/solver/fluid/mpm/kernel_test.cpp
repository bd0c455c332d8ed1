// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/kernel.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sluice::fluid::kernel_test {
namespace {

// Oracles: the B-splines' textbook definitions, and their moments: partition of unity, linear
// reproduction, and the second moment that makes D a multiple of the identity ([Jiang2015]).
double quadratic(double x) {
  x = std::abs(x);
  if (x < 0.5) return 0.75 - x * x;
  return x < 1.5 ? 0.5 * (1.5 - x) * (1.5 - x) : 0;
}
double cubic(double x) {
  x = std::abs(x);
  if (x < 1) return 0.5 * x * x * x - x * x + 2.0 / 3;
  return x < 2 ? (2 - x) * (2 - x) * (2 - x) / 6 : 0;
}

template <typename Spline>
void expect_spline(double (*definition)(double)) {
  for (int n = 0; n <= 1000; ++n) {
    const float x = 5 + 0.002F * static_cast<float>(n);
    const Float4 X{x, x + 0.25F, 7, 0};
    const Int4 base = Spline::base(X);
    const auto weights = weights_around<Spline>(X, base);
    for (int axis = 0; axis < 3; ++axis) {
      double sum = 0, first = 0, second = 0;
      for (int k = 0; k < Spline::support; ++k) {
        const double w = weights.w[k][axis];
        const double d = base[axis] + k - static_cast<double>(X[axis]);
        EXPECT_NEAR(w, definition(d), 2e-7) << x << " axis " << axis << " node " << k;
        sum += w;
        first += w * d;
        second += w * d * d;
      }
      EXPECT_NEAR(sum, 1, 3e-7);
      EXPECT_NEAR(first, 0, 5e-7);
      EXPECT_NEAR(second, 1.0 / static_cast<double>(Spline::inertia_inverse), 5e-7);
    }
  }
}

TEST(BSpline, quadratic_has_its_definition_and_moments) {
  expect_spline<BSpline<scene::Kernel::quadratic>>(quadratic);
}

TEST(BSpline, cubic_has_its_definition_and_moments) {
  expect_spline<BSpline<scene::Kernel::cubic>>(cubic);
}

}  // namespace
}  // namespace sluice::fluid::kernel_test
