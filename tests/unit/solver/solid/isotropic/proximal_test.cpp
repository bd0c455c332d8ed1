// SPDX-License-Identifier: Apache-2.0
// Oracle: the optimum's conditions of first and second order.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>

#include "solver/solid/isotropic/proximal.h"
#include "tests/unit/solver/solid/isotropic/cases.h"

namespace sluice::solid {
namespace {

template <typename Case>
class IsotropicProximal : public testing::Test {};
TYPED_TEST_SUITE(IsotropicProximal, IsotropicCases);

TYPED_TEST(IsotropicProximal, proximal_step_is_stationary_and_a_minimum) {
  const typename TypeParam::Energy energy{rubber};
  std::vector<typename TypeParam::Matrix> targets = states<TypeParam>();
  for (const double w : {0.3, 3.0, 30.0, 3e4}) {
    for (const typename TypeParam::Matrix& P : targets) {
      if constexpr (std::is_same_v<typename TypeParam::Energy, SaintVenantKirchhoff>) {
        if (signed_svd(P).stretches[TypeParam::cols - 1] < 0) continue;  // Tested below.
      }
      const typename TypeParam::Matrix Z = proximal(energy, P, w);
      ASSERT_TRUE(Z.allFinite());
      const double least = energy_density(energy, Z) + 0.5 * w * (Z - P).squaredNorm();
      ASSERT_TRUE(std::isfinite(least));
      EXPECT_LE(least, energy_density(energy, P) * (1 + 1e-12) + 1e-12);
      const typename TypeParam::Matrix residual = stress(energy, Z) + w * (Z - P);
      EXPECT_LE(residual.norm(), 1e-9 * (w + rubber.lambda) * (1 + P.norm())) << "w " << w << "\n"
                                                                              << P;
      // Equal stretches stay equal, even where unequal ones would be better.
      const auto p = signed_svd(P).stretches;
      bool is_symmetric = p[0] - p[1] < 1e-9;
      if (TypeParam::cols == 3) is_symmetric |= p[1] - p[TypeParam::cols - 1] < 1e-9;
      if (is_symmetric) continue;
      // The second derivative in Z, which has directions that the stretches have not.
      const auto H = (hessian(energy, Z, HessianForm::exact) +
                      w * decltype(hessian(energy, Z, HessianForm::exact))::Identity())
                         .eval();
      const Eigen::SelfAdjointEigenSolver<std::decay_t<decltype(H)>> solver(H);
      EXPECT_GE(solver.eigenvalues()[0], -1e-9 * H.norm()) << "w " << w << "\n" << P;
    }
  }
}

TEST(NeoHookean, inverted_is_infinite_and_the_proximal_step_is_not) {
  const NeoHookean energy{rubber};
  for (const double last : {0.0, -1e-12, -0.5, -20.0}) {
    const Mat3 P = with_stretches<Case<NeoHookean, 3, 3>>(Vec3(30, 1, last));
    if (last < 0) {
      EXPECT_EQ(energy_density(energy, P), std::numeric_limits<double>::infinity());
    }
    const Mat3 Z = proximal(energy, P, 2.0);
    EXPECT_GT(Z.determinant(), 0);
    const Mat3 residual = stress(energy, Z) + 2.0 * (Z - P);
    EXPECT_LE(residual.norm(), 1e-8 * P.norm()) << last;
  }
}

TEST(SaintVenantKirchhoff, proximal_step_does_not_invert) {
  const SaintVenantKirchhoff energy{rubber};
  const Mat3 P = with_stretches<Case<SaintVenantKirchhoff, 3, 3>>(Vec3(1.2, 1, -0.7));
  for (const double w : {0.1, 1.0, 1000.0})
    EXPECT_GE(signed_svd(Mat3(proximal(energy, P, w))).stretches[2], -1e-14) << w;
}

}  // namespace
}  // namespace sluice::solid
