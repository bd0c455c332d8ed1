// SPDX-License-Identifier: Apache-2.0
#include "solver/contact/gap_energy.h"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <cstddef>

namespace sluice::contact {
namespace {

using geometry::kronecker;
using geometry::Mat12;
using geometry::PairDistance;
using geometry::Vec12;
using geometry::Vec4;

// The rows of the basis: n times q_1 .. q_{m+1}, then e_k times q_1, where q_1 = c / |c| and the
// others are what is left of the g_k.
template <int freedom>
Mat12 project(const PairDistance& d, const GapEnergy& U) {
  constexpr int rows = 2 * freedom + 1;
  const double length = std::sqrt(d.squared);
  const Vec3 n = d.offset / length;
  const double size = d.coefficients.norm();

  Eigen::Matrix<double, 4, freedom + 1> Q;
  Q.col(0) = d.coefficients / size;
  for (int k = 0; k < freedom; ++k) {
    const Vec4& g = d.slopes[static_cast<std::size_t>(k)];
    Vec4 q = g;
    // Twice, so that it is across the others to rounding. A vector in their span has no direction
    // of its own, and its column is 0.
    for (int pass = 0; pass < 2; ++pass)
      q -= Q.leftCols(k + 1) * (Q.leftCols(k + 1).transpose() * q);
    Q.col(k + 1) = q.norm() > 1e-12 * g.norm() ? Vec4(q.normalized()) : Vec4(Vec4::Zero());
  }

  Eigen::Matrix<double, rows, rows> S = Eigen::Matrix<double, rows, rows>::Zero();
  Eigen::Matrix<double, 12, rows> basis;
  S(0, 0) = U.curvature * size * size;
  for (int k = 0; k <= freedom; ++k)
    basis.col(k) = kronecker(Q.col(k), n);
  for (int k = 0; k < freedom; ++k) {
    const auto at = static_cast<std::size_t>(k);
    const Eigen::Matrix<double, freedom + 1, 1> g = Q.transpose() * d.slopes[at];
    S.template topLeftCorner<freedom + 1, freedom + 1>() -= U.slope * length * g * g.transpose();
    S.template block<freedom + 1, 1>(0, freedom + 1 + k) = -U.slope * size * g;
    S.template block<1, freedom + 1>(freedom + 1 + k, 0) = -U.slope * size * g.transpose();
    basis.col(freedom + 1 + k) = kronecker(Q.col(0), d.directions[at]);
  }
  if constexpr (freedom == 0) {
    return S(0, 0) * basis * basis.transpose();
  } else {
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, rows, rows>> eigen(S);
    const Eigen::Matrix<double, 12, rows> axes = basis * eigen.eigenvectors();
    return axes * eigen.eigenvalues().cwiseMax(0).asDiagonal() * axes.transpose();
  }
}

}  // namespace

Vec12 gap_gradient(const PairDistance& d, const GapEnergy& U) noexcept {
  if (d.squared == 0) return Vec12::Zero();
  return U.slope * kronecker(d.coefficients, d.offset / std::sqrt(d.squared));
}

Mat12 gap_hessian(const PairDistance& d, const GapEnergy& U) noexcept {
  if (d.squared == 0) return Mat12::Zero();
  const double length = std::sqrt(d.squared);
  const Vec12 gradient = kronecker(d.coefficients, d.offset / length);
  return U.slope / length * 0.5 * squared_distance_hessian(d) +
         (U.curvature - U.slope / length) * gradient * gradient.transpose();
}

Mat12 projected_gap_hessian(const PairDistance& d, const GapEnergy& U) noexcept {
  if (d.squared == 0) return Mat12::Zero();
  switch (d.freedom) {
    case 0:
      return project<0>(d, U);
    case 1:
      return project<1>(d, U);
    default:
      return project<2>(d, U);
  }
}

}  // namespace sluice::contact
