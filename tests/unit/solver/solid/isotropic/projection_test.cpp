// SPDX-License-Identifier: Apache-2.0
// Oracle: Eigen's SelfAdjointEigenSolver.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "tests/unit/solver/solid/isotropic/cases.h"

namespace sluice::solid {
namespace {

template <typename Case>
class IsotropicProjection : public testing::Test {};
TYPED_TEST_SUITE(IsotropicProjection, IsotropicCases);

TYPED_TEST(IsotropicProjection, projection_clamps_the_eigenvalues_that_eigen_finds) {
  const typename TypeParam::Energy energy{rubber};
  int indefinite_count = 0;
  for (const typename TypeParam::Matrix& F : states<TypeParam>()) {
    const auto exact = hessian(energy, F, HessianForm::exact);
    const auto projected = hessian(energy, F, HessianForm::positive_semidefinite);
    const Eigen::SelfAdjointEigenSolver<std::decay_t<decltype(exact)>> solver(exact);
    const auto clamped = (solver.eigenvectors() * solver.eigenvalues().cwiseMax(0).asDiagonal() *
                          solver.eigenvectors().transpose())
                             .eval();
    EXPECT_LE((projected - clamped).cwiseAbs().maxCoeff(), 1e-13 * exact.norm()) << F;
    if (solver.eigenvalues()[0] < -1e-6) ++indefinite_count;
  }
  if (TypeParam::turns) {
    EXPECT_GE(indefinite_count, 5);  // Else it would test nothing.
  }
}

}  // namespace
}  // namespace sluice::solid
