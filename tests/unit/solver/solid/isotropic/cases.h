// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <tuple>
#include <type_traits>
#include <vector>

#include "solver/solid/isotropic/derivatives.h"
#include "solver/solid/isotropic/energies.h"
#include "solver/types.h"

/// Every isotropic energy in every dimension it has, and the states to try it in.
namespace sluice::solid {

inline constexpr Lame rubber{3, 5};

template <typename EnergyType, int row_count, int col_count>
struct Case {
  using Energy = EnergyType;
  static constexpr int rows = row_count, cols = col_count;
  using Matrix = Eigen::Matrix<double, rows, cols>;
  using Flat = Eigen::Matrix<double, rows * cols, 1>;
  static constexpr bool turns = !std::is_same_v<Energy, LinearElasticity>;
};

/// A rotation by some angle, in the plane or about some axis.
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

/// Rest, stretched tenfold, squashed, equal stretches, random, and inverted where that is finite.
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
  if constexpr (Case::rows == Case::cols) {
    Stretch mirrored = Stretch::Constant(1.3), stretched;
    mirrored[Case::cols - 1] = -0.4;
    stretched = mirrored;
    stretched[0] = 3;
    for (const Stretch& s : {mirrored, stretched}) {
      const typename Case::Matrix F = with_stretches<Case>(s);
      if (std::isfinite(energy_density(typename Case::Energy{rubber}, F))) found.push_back(F);
    }
  }
  return found;
}

template <typename List>
struct CasesOf;
template <typename... Energies>
struct CasesOf<std::tuple<Energies...>> {
  using type =
      testing::Types<Case<LinearElasticity, 2, 2>, Case<LinearElasticity, 3, 3>,
                     Case<Energies, 2, 2>..., Case<Energies, 3, 3>..., Case<Energies, 3, 2>...>;
};
using IsotropicCases = CasesOf<StretchEnergies>::type;

}  // namespace sluice::solid
