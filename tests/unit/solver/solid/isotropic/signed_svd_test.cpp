// SPDX-License-Identifier: Apache-2.0
// Oracles: the definition, Eigen's JacobiSVD, matrices worked by hand.
#include "solver/solid/isotropic/signed_svd.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/SVD>
#include <random>

namespace sluice::solid {
namespace {

template <int rows, int cols>
void expect_decomposed(const Eigen::Matrix<double, rows, cols>& F) {
  const SignedSvd<rows, cols> svd = signed_svd(F);
  const double size = F.cwiseAbs().maxCoeff();  // Whose square may underflow.
  EXPECT_LE((svd.U * svd.stretches.asDiagonal() * svd.V.transpose() - F).cwiseAbs().maxCoeff(),
            4e-15 * size)
      << F;
  EXPECT_LE((svd.U.transpose() * svd.U - Eigen::Matrix<double, cols, cols>::Identity())
                .cwiseAbs()
                .maxCoeff(),
            2e-15)
      << F;
  EXPECT_NEAR(svd.V.determinant(), 1, 4e-15) << F;
  if constexpr (rows == cols) {
    EXPECT_NEAR(svd.U.determinant(), 1, 4e-15) << F;
  }
  const Eigen::JacobiSVD<Eigen::Matrix<double, rows, cols>> reference(F);
  for (int i = 0; i < cols; ++i) {
    const double found =
        i + 1 < cols || rows > cols ? svd.stretches[i] : std::abs(svd.stretches[i]);
    EXPECT_NEAR(found, reference.singularValues()[i], 4e-15 * size) << F;
  }
}

template <int rows, int cols>
class Shape {
 public:
  using Matrix = Eigen::Matrix<double, rows, cols>;
};

template <typename Shape>
class SignedSvdTest : public testing::Test {};
using Shapes = testing::Types<Shape<2, 2>, Shape<3, 3>, Shape<3, 2>>;
TYPED_TEST_SUITE(SignedSvdTest, Shapes);

TYPED_TEST(SignedSvdTest, random_and_badly_scaled) {
  using Matrix = typename TypeParam::Matrix;
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  for (int n = 0; n < 3000; ++n) {
    Matrix F = Matrix::NullaryExpr([&] { return normal(random); });
    expect_decomposed(F);
    F.col(0) *= 1e-9;
    expect_decomposed(F);
    F.row(1) = F.row(0) * (1 + 1e-14);
    expect_decomposed(F);
    expect_decomposed(Matrix(1e200 * F));
    expect_decomposed(Matrix(1e-200 * F));
  }
}

TYPED_TEST(SignedSvdTest, without_rank) {
  using Matrix = typename TypeParam::Matrix;
  expect_decomposed(Matrix(Matrix::Zero()));
  expect_decomposed(Matrix(Matrix::Constant(3)));
  expect_decomposed(Matrix(Matrix::Identity()));
  expect_decomposed(Matrix(-Matrix::Identity()));
  for (int i = 0; i < Matrix::SizeAtCompileTime; ++i) {
    Matrix one = Matrix::Zero();
    one(i) = -2;
    expect_decomposed(one);
  }
}

TEST(SignedSvdByHand, mirroring_is_in_the_smallest_stretch) {
  const Eigen::Vector3d s = signed_svd<3, 3>(Eigen::Vector3d(-3, 2, 1).asDiagonal()).stretches;
  EXPECT_LE((s - Eigen::Vector3d(3, 2, -1)).norm(), 1e-15);
}

TEST(SignedSvdByHand, small_stretches_are_relatively_exact) {
  // Columns orthogonal by construction, sizes 1 and 1e-12: F^T F would lose the second one.
  const Eigen::Matrix2d Q = Eigen::Rotation2Dd(0.7).toRotationMatrix();
  const Eigen::Matrix2d F = Q * Eigen::Vector2d(1, 1e-12).asDiagonal();
  const SignedSvd<2, 2> svd = signed_svd(F);
  EXPECT_NEAR(svd.stretches[1], 1e-12, 1e-26);
}

TEST(Polar, rotation_and_stretch) {
  const Eigen::Matrix3d R(Eigen::AngleAxisd(1.2, Eigen::Vector3d(1, 2, 3).normalized()));
  Eigen::Matrix3d S;
  S << 2, 0.3, 0.1, 0.3, 1, -0.2, 0.1, -0.2, 0.7;
  const Polar<3, 3> found = polar<3, 3>(R * S);
  EXPECT_LE((found.R - R).norm(), 1e-14);
  EXPECT_LE((found.S - S).norm(), 1e-14);
}

}  // namespace
}  // namespace sluice::solid
