// SPDX-License-Identifier: Apache-2.0
// Oracles: central differences, invariance, linear elasticity for small strain.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/solver/solid/isotropic/cases.h"

namespace sluice::solid {
namespace {

template <typename Case>
class IsotropicDerivatives : public testing::Test {};
TYPED_TEST_SUITE(IsotropicDerivatives, IsotropicCases);

// Central differences with step 1e-5 of functions with values and derivatives up to some `size`
// err by about 1e-10 size + 1e-16 size / 1e-5.
constexpr double step = 1e-5, relative = 1e-8;

TYPED_TEST(IsotropicDerivatives, stress_is_the_derivative_of_energy) {
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

TYPED_TEST(IsotropicDerivatives, hessian_is_the_derivative_of_stress) {
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

TYPED_TEST(IsotropicDerivatives, rest_is_free_of_energy_and_stress_and_as_stiff_as_linear) {
  const typename TypeParam::Energy energy{rubber};
  const typename TypeParam::Matrix rest = TypeParam::Matrix::Identity();
  EXPECT_NEAR(energy_density(energy, rest), 0, 1e-15);
  EXPECT_LE(stress(energy, rest).norm(), 1e-14);
  const auto H = hessian(energy, rest, HessianForm::exact);
  const LinearElasticity linear{rubber};
  for (int i = 0; i < TypeParam::cols; ++i) {
    for (int j = 0; j < TypeParam::cols; ++j) {
      // A membrane has this stiffness in its plane; out of it a sheet free of stress has none.
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

TYPED_TEST(IsotropicDerivatives, is_invariant_to_rotations_of_world_and_material) {
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

TEST(SaintVenantKirchhoff, agrees_with_the_green_strain) {
  const SaintVenantKirchhoff energy{rubber};
  for (const Mat3& F : states<Case<SaintVenantKirchhoff, 3, 3>>()) {
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

template <typename Energy>
int expect_flip_slope_where_there_is_one() {
  const Energy energy{rubber};
  if constexpr (requires { energy.flip_slope(Stretches<double, 3>{}); }) {
    expect_flip_slope_is_the_divided_difference(energy);
    return 1;
  }
  return 0;
}

template <typename... Energies>
int expect_flip_slopes_of(const std::tuple<Energies...>* /*list*/) {
  return (expect_flip_slope_where_there_is_one<Energies>() + ...);
}

TEST(FlipSlope, flip_slope_is_the_divided_difference_of_flip) {
  constexpr StretchEnergies* all = nullptr;
  EXPECT_GE(expect_flip_slopes_of(all), 3);
}

TEST(StableNeoHookean, plane_strain_is_three_dimensions_with_the_third_held) {
  const StableNeoHookean energy{rubber};
  const Stretches<double, 2> s{1.7, 0.6};
  const Stretches<double, 3> held{1.7, 0.6, 1};
  EXPECT_NEAR(energy.energy(s), energy.energy(held), 1e-14);
  EXPECT_NEAR(energy.gradient(s)[1], energy.gradient(held)[1], 1e-14);
}

}  // namespace
}  // namespace sluice::solid
