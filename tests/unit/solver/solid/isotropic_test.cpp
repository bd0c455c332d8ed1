// SPDX-License-Identifier: Apache-2.0
// Oracles: central differences, invariance, linear elasticity for small strain, Eigen's
// SelfAdjointEigenSolver, a plain gradient check of the proximal step's optimum.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "solver/solid/isotropic/derivatives.h"
#include "solver/solid/isotropic/fixed_corotated.h"
#include "solver/solid/isotropic/linear.h"
#include "solver/solid/isotropic/neo_hookean.h"
#include "solver/solid/isotropic/proximal.h"
#include "solver/solid/isotropic/st_venant_kirchhoff.h"
#include "solver/solid/isotropic/stable_neo_hookean.h"

namespace sluice::solid {
namespace {

constexpr Lame rubber{3, 5};

template <typename EnergyType, int row_count, int col_count>
struct Case {
  using Energy = EnergyType;
  static constexpr int rows = row_count, cols = col_count;
  using Matrix = Eigen::Matrix<double, rows, cols>;
  using Flat = Eigen::Matrix<double, rows * cols, 1>;
  static constexpr bool turns = !std::is_same_v<Energy, LinearElasticity>;
  static constexpr bool inverts = rows == cols && !std::is_same_v<Energy, NeoHookean>;
};

/// Turned by some angle, in the plane or about some axis.
template <int n>
Eigen::Matrix<double, n, n> rotation(double angle) {
  if constexpr (n == 2) {
    return Eigen::Rotation2Dd(angle).toRotationMatrix();
  } else {
    return Eigen::AngleAxisd(angle, Vec3(1, -2, 0.4).normalized()).toRotationMatrix();
  }
}

template <typename Case>
typename Case::Matrix with_stretches(const Eigen::Matrix<double, Case::cols, 1>& s) {
  typename Case::Matrix F = Case::Matrix::Zero();
  F.template topRows<Case::cols>() = s.asDiagonal();
  return rotation<Case::rows>(0.9) * F * rotation<Case::cols>(-0.5);
}

/// Rest, stretched tenfold, squashed, equal stretches, random, and inverted where it is defined.
template <typename Case>
std::vector<typename Case::Matrix> states() {
  using Stretch = Eigen::Matrix<double, Case::cols, 1>;
  std::vector<typename Case::Matrix> found{Case::Matrix::Identity()};
  Stretch tenfold = Stretch::Ones(), squashed = Stretch::Ones(), mixed = Stretch::Constant(1.5);
  tenfold[0] = 10;
  squashed[Case::cols - 1] = 0.1;
  mixed[0] = 0.6;
  for (const Stretch& s : {Stretch(Stretch::Ones()), tenfold, squashed, mixed,
                           Stretch(Stretch::Constant(10)), Stretch(Stretch::Constant(0.4))}) {
    found.push_back(with_stretches<Case>(s));
  }
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  while (found.size() < 40) {
    const typename Case::Matrix F =
        Case::Matrix::Identity() + Case::Matrix::NullaryExpr([&] { return 0.5 * normal(random); });
    if (signed_svd(F).stretches.minCoeff() > 0.1) found.push_back(F);
  }
  if constexpr (Case::inverts) {
    Stretch mirrored = Stretch::Constant(1.3);
    mirrored[Case::cols - 1] = -0.4;
    found.push_back(with_stretches<Case>(mirrored));
    mirrored[0] = 3;
    found.push_back(with_stretches<Case>(mirrored));
  }
  return found;
}

template <typename Case>
class IsotropicTest : public testing::Test {};
using Cases = testing::Types<
    Case<LinearElasticity, 2, 2>, Case<LinearElasticity, 3, 3>, Case<StVenantKirchhoff, 2, 2>,
    Case<StVenantKirchhoff, 3, 3>, Case<StVenantKirchhoff, 3, 2>, Case<NeoHookean, 2, 2>,
    Case<NeoHookean, 3, 3>, Case<NeoHookean, 3, 2>, Case<StableNeoHookean, 2, 2>,
    Case<StableNeoHookean, 3, 3>, Case<StableNeoHookean, 3, 2>, Case<FixedCorotated, 2, 2>,
    Case<FixedCorotated, 3, 3>, Case<FixedCorotated, 3, 2>>;
TYPED_TEST_SUITE(IsotropicTest, Cases);

// Central differences with step 1e-5 of functions with values and derivatives up to some `size`
// err by about 1e-10 size + 1e-16 size / 1e-5.
constexpr double step = 1e-5, relative = 1e-8;

TYPED_TEST(IsotropicTest, stress_is_the_derivative_of_energy) {
  const typename TypeParam::Energy energy{rubber};
  for (typename TypeParam::Matrix F : states<TypeParam>()) {
    const typename TypeParam::Matrix P = stress(energy, F);
    const double size = rubber.lambda + P.norm() + std::abs(energy_density(energy, F));
    for (int i = 0; i < F.size(); ++i) {
      const double at = F(i);
      F(i) = at + step;
      const double above = energy_density(energy, F);
      F(i) = at - step;
      const double below = energy_density(energy, F);
      F(i) = at;
      EXPECT_NEAR(P(i), (above - below) / (2 * step), relative * size) << "entry " << i << "\n"
                                                                       << F;
    }
  }
}

TYPED_TEST(IsotropicTest, hessian_is_the_derivative_of_stress) {
  using Flat = typename TypeParam::Flat;
  const typename TypeParam::Energy energy{rubber};
  for (typename TypeParam::Matrix F : states<TypeParam>()) {
    const auto H = hessian(energy, F, HessianForm::exact);
    const double size = H.cwiseAbs().maxCoeff();
    for (int i = 0; i < F.size(); ++i) {
      const double at = F(i);
      F(i) = at + step;
      const typename TypeParam::Matrix above = stress(energy, F);
      F(i) = at - step;
      const typename TypeParam::Matrix below = stress(energy, F);
      F(i) = at;
      const typename TypeParam::Matrix slope = (above - below) / (2 * step);
      // Third derivatives at a stretch of 0.1 are 100 times the second: 1e-10 of them a step.
      EXPECT_LE((H.col(i) - Eigen::Map<const Flat>(slope.data())).norm(), 1e-6 * size)
          << "entry " << i << "\n"
          << F;
    }
  }
}

TYPED_TEST(IsotropicTest, projection_clamps_the_eigenvalues_that_eigen_finds) {
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

TYPED_TEST(IsotropicTest, rest_is_free_of_energy_and_stress_and_as_stiff_as_linear) {
  const typename TypeParam::Energy energy{rubber};
  const typename TypeParam::Matrix rest = TypeParam::Matrix::Identity();
  EXPECT_NEAR(energy_density(energy, rest), 0, 1e-15);
  EXPECT_LE(stress(energy, rest).norm(), 1e-14);
  const auto H = hessian(energy, rest, HessianForm::exact);
  const LinearElasticity linear{rubber};
  for (int i = 0; i < TypeParam::cols; ++i) {
    for (int j = 0; j < TypeParam::cols; ++j) {
      // Of a membrane, the part in its plane; out of it a sheet free of stress has no stiffness.
      Eigen::Matrix<double, TypeParam::cols, TypeParam::cols> unit;
      unit.setZero();
      unit(i, j) = 1;
      typename TypeParam::Matrix expected = TypeParam::Matrix::Zero();
      expected.template topRows<TypeParam::cols>() =
          stress(linear, (unit + decltype(unit)::Identity()).eval());
      const auto column = H.col(i + j * TypeParam::rows);
      EXPECT_LE((column - Eigen::Map<const typename TypeParam::Flat>(expected.data())).norm(),
                1e-13);
    }
  }
  if (TypeParam::rows > TypeParam::cols) {
    EXPECT_LE(H.row(2).norm() + H.row(5).norm(), 1e-13);
  }
}

TYPED_TEST(IsotropicTest, is_invariant_to_rotations_of_world_and_material) {
  if (!TypeParam::turns) return;
  const typename TypeParam::Energy energy{rubber};
  const auto R = rotation<TypeParam::rows>(2.2);
  const auto Q = rotation<TypeParam::cols>(1.1);
  for (const typename TypeParam::Matrix& F : states<TypeParam>()) {
    const typename TypeParam::Matrix turned = R * F * Q, P = stress(energy, F);
    const double value = energy_density(energy, F);
    EXPECT_NEAR(energy_density(energy, turned), value, 1e-13 * (1 + value));
    const typename TypeParam::Matrix expected = R * P * Q;
    EXPECT_LE((stress(energy, turned) - expected).norm(), 1e-12 * (1 + P.norm()));
  }
}

TYPED_TEST(IsotropicTest, proximal_step_is_stationary_and_a_minimum) {
  const typename TypeParam::Energy energy{rubber};
  std::vector<typename TypeParam::Matrix> targets = states<TypeParam>();
  for (const double w : {0.3, 3.0, 30.0, 3e4}) {
    for (const typename TypeParam::Matrix& P : targets) {
      if constexpr (std::is_same_v<typename TypeParam::Energy, StVenantKirchhoff>) {
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

TEST(NeoHookeanTest, inverted_is_infinite_and_the_proximal_step_is_not) {
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

TEST(StVenantKirchhoffTest, proximal_step_does_not_invert) {
  const StVenantKirchhoff energy{rubber};
  const Mat3 P = with_stretches<Case<StVenantKirchhoff, 3, 3>>(Vec3(1.2, 1, -0.7));
  for (const double w : {0.1, 1.0, 1000.0})
    EXPECT_GE(signed_svd(Mat3(proximal(energy, P, w))).stretches[2], -1e-14) << w;
}

TEST(StVenantKirchhoffTest, agrees_with_the_green_strain) {
  const StVenantKirchhoff energy{rubber};
  for (const Mat3& F : states<Case<StVenantKirchhoff, 3, 3>>()) {
    const Mat3 E = 0.5 * (F.transpose() * F - Mat3::Identity());
    const double expected =
        rubber.mu * E.squaredNorm() + 0.5 * rubber.lambda * E.trace() * E.trace();
    EXPECT_NEAR(energy_density(energy, F), expected, 1e-12 * (1 + expected));
    const Mat3 P = F * (2 * rubber.mu * E + rubber.lambda * E.trace() * Mat3::Identity());
    EXPECT_LE((stress(energy, F) - P).norm(), 1e-12 * (1 + P.norm()));
  }
}

template <typename Energy>
void expect_flip_slope_is_the_divided_difference(const Energy& energy) {
  const Stretches<double, 3> s{1.7, 0.6, -0.4};
  for (const auto& [i, j, k] :
       {std::array<std::size_t, 3>{0, 1, 2}, std::array<std::size_t, 3>{1, 2, 0},
        std::array<std::size_t, 3>{2, 0, 1}}) {
    EXPECT_NEAR(energy.flip_slope(s), (energy.flip(s, i, j) - energy.flip(s, j, k)) / (s[i] - s[k]),
                1e-13);
  }
}

TEST(FlipSlopeTest, flip_slope_is_the_divided_difference_of_flip) {
  expect_flip_slope_is_the_divided_difference(StVenantKirchhoff{rubber});
  expect_flip_slope_is_the_divided_difference(StableNeoHookean{rubber});
  expect_flip_slope_is_the_divided_difference(FixedCorotated{rubber});
}

TEST(StableNeoHookeanTest, plane_strain_is_three_dimensions_with_the_third_held) {
  const StableNeoHookean energy{rubber};
  const Stretches<double, 2> s{1.7, 0.6};
  const Stretches<double, 3> held{1.7, 0.6, 1};
  EXPECT_NEAR(energy.energy(s), energy.energy(held), 1e-14);
  EXPECT_NEAR(energy.gradient(s)[1], energy.gradient(held)[1], 1e-14);
}

}  // namespace
}  // namespace sluice::solid
