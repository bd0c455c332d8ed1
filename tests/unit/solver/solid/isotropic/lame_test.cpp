// SPDX-License-Identifier: Apache-2.0
// Oracles: constants worked by hand, limits of the ranges.
#include "solver/solid/isotropic/lame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace sluice::solid {
namespace {

using testing::HasSubstr;

TEST(Lame, constants_of_turek_and_hron) {
  // [Turek2006] gives E = 1.4 MPa, nu = 0.4 and mu = 0.5 MPa; lambda = 2 mu nu / (1 - 2 nu) = 2
  // MPa.
  const Result<Lame> lame = lame_of({1.4e6, 0.4});
  ASSERT_TRUE(lame);
  EXPECT_NEAR(lame.value().mu, 0.5e6, 1e-8);
  EXPECT_NEAR(lame.value().lambda, 2e6, 1e-7);
}

TEST(Lame, elasticity_is_the_inverse) {
  for (const double nu : {-0.99, -0.3, 0.0, 0.25, 0.4999}) {
    const Result<Elasticity> back = elasticity_of(lame_of({2e9, nu}).value());
    ASSERT_TRUE(back) << nu;
    EXPECT_NEAR(back.value().young_modulus, 2e9, 1e-3);
    EXPECT_NEAR(back.value().poisson_ratio, nu, 1e-12);
  }
}

TEST(Lame, plane_stress_has_the_textbook_lambda) {
  const double E = 3e6, nu = 0.3;
  const Lame sheet = plane_stress(lame_of({E, nu}).value());
  EXPECT_NEAR(sheet.lambda, E * nu / (1 - nu * nu), 1e-7);
  EXPECT_EQ(sheet.mu, lame_of({E, nu}).value().mu);
}

TEST(Lame, faults_name_their_constant) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double E : {0.0, -1.0, nan, std::numeric_limits<double>::infinity()})
    EXPECT_THAT(lame_of({E, 0.3}).error().message, HasSubstr("young_modulus"));
  for (const double nu : {-1.0, 0.5, 0.6, nan})
    EXPECT_THAT(lame_of({1e6, nu}).error().message, HasSubstr("poisson_ratio"));
  EXPECT_THAT(elasticity_of({0, 1}).error().message, HasSubstr("mu"));
  EXPECT_THAT(elasticity_of({3, -2}).error().message, HasSubstr("lambda"));
}

}  // namespace
}  // namespace sluice::solid
