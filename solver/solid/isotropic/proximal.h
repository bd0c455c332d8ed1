// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "solver/solid/isotropic/derivatives.h"
#include "solver/solid/isotropic/signed_svd.h"
#include "solver/solid/isotropic/stretches.h"

namespace sluice::solid {

/// argmin Psi(z) + w/2 |z - p|^2 over the stretches z, for stretches p [Overby2017] 4.3.
///
/// Newton in n unknowns; the Hessian's eigenvalues are made positive where it is indefinite, and
/// the step is halved until the objective falls enough, so each iterate is finite and better than
/// the last. Where the energy `needs_orientation`, z stays >= 0 (St. Venant-Kirchhoff) or > 0
/// (Neo-Hookean) even if p is not; a stretch at the bound with a force against it stays there.
/// Where there are several minima it finds one near p, and equal stretches may stay equal where
/// unequal ones would be better (large growth, soft w). Cost: 3 to 8 iterations, hundreds in such
/// ties. Domain: finite p, w > 0.
template <typename Energy, int n>
[[nodiscard]] Eigen::Matrix<double, n, 1> proximal_stretches(const Energy& energy,
                                                             const Eigen::Matrix<double, n, 1>& p,
                                                             double w) {
  using Vector = Eigen::Matrix<double, n, 1>;
  using Matrix = Eigen::Matrix<double, n, n>;
  constexpr int most_iterations = 200, most_halvings = 50;
  constexpr double tolerance = 1e-13;       // of a stretch: a few hundred roundings
  constexpr double rounding = 4e-15;        // of the objective's terms: a smaller fall is not seen
  constexpr double sufficient = 1e-4;       // Armijo's share
  constexpr double least_start = 0.2;       // where p is squashed or mirrored
  constexpr double least_curvature = 1e-6;  // of the largest, where the Hessian is indefinite
  const auto objective = [&](const Vector& z) {
    return energy.energy(stretches_of<n>(z)) + 0.5 * w * (z - p).squaredNorm();
  };
  const double stiffness = energy.lame.mu + std::abs(energy.lame.lambda);
  Vector z = p;
  if (Energy::needs_orientation) z = z.cwiseMax(least_start);
  double value = objective(z);
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    const Stretches<double, n> s = stretches_of<n>(z);
    const Stretches<double, n> by_stretch = energy.gradient(s);
    const StretchMatrix<double, n> second = energy.hessian(s);
    Vector g;
    Matrix H;
    for (int i = 0; i < n; ++i) {
      const auto a = static_cast<std::size_t>(i);
      g[i] = by_stretch[a] + w * (z[i] - p[i]);
      for (int j = 0; j < n; ++j)
        H(i, j) = second[a][static_cast<std::size_t>(j)];
      H(i, i) += w;
    }
    for (int i = 0; i < n; ++i) {
      if (!(Energy::needs_orientation && z[i] <= 0 && g[i] > 0)) continue;
      g[i] = 0;  // Held at the bound.
      H.row(i).setZero();
      H.col(i).setZero();
      H(i, i) = w;
    }
    Vector step;
    const Eigen::LLT<Matrix> cholesky(H);
    if (cholesky.info() == Eigen::Success) {
      step = -cholesky.solve(g);
    } else {
      const Eigen::SelfAdjointEigenSolver<Matrix> solver(H);
      const Vector magnitudes = solver.eigenvalues().cwiseAbs();
      const Vector curvatures = magnitudes.cwiseMax(least_curvature * magnitudes.maxCoeff());
      step = -(solver.eigenvectors() *
               (solver.eigenvectors().transpose() * g).cwiseQuotient(curvatures));
    }
    const double size = std::max(1.0, z.cwiseAbs().maxCoeff());
    const bool is_last = step.cwiseAbs().maxCoeff() <= tolerance * size;
    const double noise = rounding * (std::abs(value) + (stiffness + w) * size * size);
    double share = 1;
    for (int halving = 0;; ++halving) {
      Vector trial = z + share * step;
      if (Energy::needs_orientation) trial = trial.cwiseMax(0);
      const double trial_value = objective(trial);
      if (trial_value <= value + sufficient * g.dot(trial - z) + noise) {
        z = trial;
        value = trial_value;
        break;
      }
      if (is_last || halving == most_halvings) return z;
      share *= 0.5;
    }
    if (is_last) return z;
  }
  return z;
}

/// argmin Psi(Z) + w/2 |Z - P|^2 over matrices Z: it has the singular vectors of P.
template <typename Energy, int rows, int cols>
[[nodiscard]] Eigen::Matrix<double, rows, cols> proximal(const Energy& energy,
                                                         const Eigen::Matrix<double, rows, cols>& P,
                                                         double w) {
  const SignedSvd<rows, cols> svd = signed_svd(P);
  return svd.U * proximal_stretches<Energy, cols>(energy, svd.stretches, w).asDiagonal() *
         svd.V.transpose();
}

}  // namespace sluice::solid
