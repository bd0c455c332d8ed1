// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include "solver/solid/isotropic/hessian_form.h"
#include "solver/solid/isotropic/lame.h"

namespace sluice::solid {

/// Linear elasticity: Psi = mu |e|^2 + lambda/2 tr(e)^2, e = (F + F^T)/2 - I. For small rotations
/// only: it is not invariant to them. In two dimensions: plane strain.
struct LinearElasticity {
  static constexpr const char* name = "linear";
  Lame lame;
};

template <int n>
[[nodiscard]] Eigen::Matrix<double, n, n> small_strain(const Eigen::Matrix<double, n, n>& F) {
  return 0.5 * (F + F.transpose()) - Eigen::Matrix<double, n, n>::Identity();
}

/// Psi(F) [J/m^3]
template <int n>
[[nodiscard]] double energy_density(const LinearElasticity& energy,
                                    const Eigen::Matrix<double, n, n>& F) {
  const Eigen::Matrix<double, n, n> e = small_strain(F);
  return energy.lame.mu * e.squaredNorm() + 0.5 * energy.lame.lambda * e.trace() * e.trace();
}

/// dPsi/dF [Pa]
template <int n>
[[nodiscard]] Eigen::Matrix<double, n, n> stress(const LinearElasticity& energy,
                                                 const Eigen::Matrix<double, n, n>& F) {
  const Eigen::Matrix<double, n, n> e = small_strain(F);
  return 2 * energy.lame.mu * e +
         energy.lame.lambda * e.trace() * Eigen::Matrix<double, n, n>::Identity();
}

/// d2Psi/dF2 [Pa], by the entries of F column by column; the same for every F. It has no negative
/// eigenvalue, as the bulk modulus is positive.
template <int n>
[[nodiscard]] Eigen::Matrix<double, n * n, n * n> hessian(const LinearElasticity& energy,
                                                          const Eigen::Matrix<double, n, n>& /*F*/,
                                                          HessianForm /*form*/) {
  Eigen::Matrix<double, n * n, n * n> H;
  for (int row = 0; row < n * n; ++row) {
    Eigen::Matrix<double, n, n> unit = Eigen::Matrix<double, n, n>::Zero();
    unit(row) = 1;
    const Eigen::Matrix<double, n, n> P =
        energy.lame.mu * (unit + unit.transpose()) +
        energy.lame.lambda * unit.trace() * Eigen::Matrix<double, n, n>::Identity();
    H.col(row) = Eigen::Map<const Eigen::Matrix<double, n * n, 1>>(P.data());
  }
  return H;
}

/// argmin Psi(Z) + w/2 |Z - P|^2: three parts of P - I scaled, its antisymmetric one by 1, the
/// symmetric one without trace by w / (w + 2 mu), its trace by w / (w + 2 mu + n lambda).
template <int n>
[[nodiscard]] Eigen::Matrix<double, n, n> proximal(const LinearElasticity& energy,
                                                   const Eigen::Matrix<double, n, n>& P, double w) {
  const auto I = Eigen::Matrix<double, n, n>::Identity();
  const Eigen::Matrix<double, n, n> e = small_strain(P);
  const Eigen::Matrix<double, n, n> antisymmetric = 0.5 * (P - P.transpose());
  const auto [mu, lambda] = energy.lame;
  const double mean = e.trace() / n;
  return I + antisymmetric + w / (w + 2 * mu) * (e - mean * I) +
         w / (w + 2 * mu + n * lambda) * mean * I;
}

}  // namespace sluice::solid
