// SPDX-License-Identifier: Apache-2.0
// Oracles: a linear fixed point by hand, on which Anderson's method is GMRES and ends after as many
// steps as there are eigenvalues; a map that would throw an unsafeguarded method off.
#include "solver/integrator/anderson.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sluice::integrator {
namespace {

TEST(Anderson, ends_after_as_many_steps_as_there_are_eigenvalues) {
  // G(s) = b + diag(0.9, 0.5, -0.7) s, fixed point b / (1 - d).
  const std::vector<double> d{0.9, 0.5, -0.7, 0.9}, b{1, 2, 3, 4};
  std::vector<double> s(4, 0.0), image(4);
  Anderson anderson;
  anderson.restart(4);
  for (int n = 0; n < 5; ++n) {
    for (std::size_t i = 0; i < 4; ++i)
      image[i] = b[i] + d[i] * s[i];
    anderson.next(s, image);
    s = image;
  }
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_NEAR(s[i], b[i] / (1 - d[i]), 1e-9);
}

TEST(Anderson, converges_where_extrapolation_misleads) {
  // A contraction with a kink: slopes 0.99 on one side and -0.5 on the other.
  const auto G = [](double s) { return s > 0 ? 0.99 * s : -0.5 * s; };
  std::vector<double> s{100}, image(1);
  Anderson anderson;
  anderson.restart(1);
  for (int n = 0; n < 300; ++n) {
    image[0] = G(s[0]);
    anderson.next(s, image);
    s = image;
  }
  EXPECT_NEAR(s[0], 0, 1e-6);
}

}  // namespace
}  // namespace sluice::integrator
