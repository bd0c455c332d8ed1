// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "solver/solid/isotropic/hessian_form.h"
#include "solver/solid/isotropic/signed_svd.h"
#include "solver/solid/isotropic/stretches.h"

/// Energies of principal stretches (see stretches.h) as functions of the deformation gradient F:
/// 3x3, 2x2 (plane strain), or 3x2 (a membrane, whose plane's two axes map to three).
namespace sluice::solid {

template <int cols>
[[nodiscard]] Stretches<double, cols> stretches_of(const Eigen::Matrix<double, cols, 1>& s) {
  Stretches<double, cols> array{};
  std::copy_n(s.data(), cols, array.begin());
  return array;
}

/// Psi(F) [J/m^3]
template <typename Energy, int rows, int cols>
[[nodiscard]] double energy_density(const Energy& energy,
                                    const Eigen::Matrix<double, rows, cols>& F) {
  return energy.energy(stretches_of(signed_svd(F).stretches));
}

/// dPsi/dF, the first Piola-Kirchhoff stress [Pa]. Where Psi is finite.
template <typename Energy, int rows, int cols>
[[nodiscard]] Eigen::Matrix<double, rows, cols> stress(const Energy& energy,
                                                       const Eigen::Matrix<double, rows, cols>& F) {
  const SignedSvd<rows, cols> svd = signed_svd(F);
  const Stretches<double, cols> g = energy.gradient(stretches_of(svd.stretches));
  return svd.U * Eigen::Map<const Eigen::Matrix<double, cols, 1>>(g.data()).asDiagonal() *
         svd.V.transpose();
}

/// d2Psi/dF2 [Pa], by the entries of F column by column. Where Psi is finite.
///
/// Its eigenmatrices are known from the singular vectors [Smith2019] (4): for each pair of axes a
/// twist (u_i v_j^T - u_j v_i^T)/sqrt 2 and a flip (u_i v_j^T + u_j v_i^T)/sqrt 2; for a membrane
/// the turns n v_i^T out of its plane, with the eigenvalue g_i / s_i; and the scalings u_i v_i^T,
/// which the small Hessian by the stretches couples. So projecting is a maximum for each.
template <typename Energy, int rows, int cols>
[[nodiscard]] Eigen::Matrix<double, rows * cols, rows * cols> hessian(
    const Energy& energy, const Eigen::Matrix<double, rows, cols>& F, HessianForm form) {
  using Mode = Eigen::Matrix<double, rows, cols>;
  using Flat = Eigen::Matrix<double, rows * cols, 1>;
  using Small = Eigen::Matrix<double, cols, cols>;
  const SignedSvd<rows, cols> svd = signed_svd(F);
  const Stretches<double, cols> s = stretches_of(svd.stretches);
  const bool is_projected = form == HessianForm::positive_semidefinite;
  Eigen::Matrix<double, rows * cols, rows * cols> H;
  H.setZero();
  const auto add = [&](const Mode& mode, double eigenvalue) {
    if (is_projected && !(eigenvalue > 0)) return;
    const Flat q = Eigen::Map<const Flat>(mode.data());
    H += (eigenvalue * q) * q.transpose();
  };

  const StretchMatrix<double, cols> by_stretches = energy.hessian(s);
  Small scaling;
  for (int i = 0; i < cols; ++i) {
    for (int j = 0; j < cols; ++j)
      scaling(i, j) = by_stretches[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  }
  const Eigen::SelfAdjointEigenSolver<Small> solver(scaling);
  for (int a = 0; a < cols; ++a) {
    add(svd.U * solver.eigenvectors().col(a).asDiagonal() * svd.V.transpose(),
        solver.eigenvalues()[a]);
  }
  for (int i = 0; i + 1 < cols; ++i) {
    for (int j = i + 1; j < cols; ++j) {
      const Mode ij = std::sqrt(0.5) * svd.U.col(i) * svd.V.col(j).transpose();
      const Mode ji = std::sqrt(0.5) * svd.U.col(j) * svd.V.col(i).transpose();
      const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
      add(ij - ji, energy.twist(s, a, b));
      add(ij + ji, energy.flip(s, a, b));
    }
  }
  if constexpr (rows > cols) {
    const Eigen::Matrix<double, 3, 1> normal = svd.U.col(0).cross(svd.U.col(1));
    const Stretches<double, cols> g = energy.gradient(s);
    for (int i = 0; i < cols; ++i) {
      const auto a = static_cast<std::size_t>(i);
      const double stretch = std::max(s[a], std::numeric_limits<double>::min());
      add(normal * svd.V.col(i).transpose(), g[a] / stretch);
    }
  }
  return H;
}

}  // namespace sluice::solid
