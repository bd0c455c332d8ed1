// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <utility>

namespace sluice::solid {

/// F = U diag(stretches) V^T, with V, and U where it is square, a rotation: mirroring is in the
/// sign of the last stretch. stretches[0] >= ... >= |stretches[n - 1]|.
template <int rows, int cols>
struct SignedSvd {
  Eigen::Matrix<double, rows, cols> U;
  Eigen::Matrix<double, cols, 1> stretches;
  Eigen::Matrix<double, cols, cols> V;
};

namespace detail {

/// Any unit vector across `u`, a unit vector.
template <int rows>
Eigen::Matrix<double, rows, 1> unit_across(const Eigen::Matrix<double, rows, 1>& u) {
  if constexpr (rows == 2) {
    return {-u[1], u[0]};
  } else {
    return u.unitOrthogonal();
  }
}

}  // namespace detail

/// The decomposition of a matrix 2x2, 3x3 or 3x2 (a membrane; its stretches are never negative).
///
/// One-sided Jacobi: the columns of A = F V are turned in pairs until they are orthogonal, which
/// gives small stretches to full relative accuracy, as forming F^T F would not. [Demmel1992]
/// Domain: every finite F, also without rank. The last column of a square U is the one that makes
/// it a rotation, and the last stretch what A's last column has along it.
template <int rows, int cols>
[[nodiscard]] SignedSvd<rows, cols> signed_svd(const Eigen::Matrix<double, rows, cols>& F) {
  static_assert((rows == 2 || rows == 3) && (cols == 2 || cols == 3) && rows >= cols);
  using Column = Eigen::Matrix<double, rows, 1>;
  SignedSvd<rows, cols> svd;
  svd.V.setIdentity();
  const double size = F.cwiseAbs().maxCoeff();
  if (size == 0) {
    svd.U.setIdentity();
    svd.stretches.setZero();
    return svd;
  }
  Eigen::Matrix<double, rows, cols> A = F / size;  // No square of it overflows.
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  constexpr int most_sweeps = 30;  // It converges quadratically: 4 to 6 are usual.
  bool is_turning = true;
  for (int sweep = 0; is_turning && sweep < most_sweeps; ++sweep) {
    is_turning = false;
    for (int i = 0; i + 1 < cols; ++i) {
      for (int j = i + 1; j < cols; ++j) {
        const double a = A.col(i).squaredNorm(), b = A.col(j).squaredNorm();
        const double c = A.col(i).dot(A.col(j));
        if (!(std::abs(c) > epsilon * std::sqrt(a * b)) || c * c == 0) continue;
        is_turning = true;
        const double zeta = (b - a) / (2 * c);
        const double t = std::copysign(1 / (std::abs(zeta) + std::hypot(1, zeta)), zeta);
        const double cosine = 1 / std::sqrt(1 + t * t), sine = t * cosine;
        const Column ai = A.col(i);
        A.col(i) = cosine * ai - sine * A.col(j);
        A.col(j) = sine * ai + cosine * A.col(j);
        const Eigen::Matrix<double, cols, 1> vi = svd.V.col(i);
        svd.V.col(i) = cosine * vi - sine * svd.V.col(j);
        svd.V.col(j) = sine * vi + cosine * svd.V.col(j);
      }
    }
  }
  const auto order = [&](int i, int j) {  // By turning a quarter, so that V stays a rotation.
    if (A.col(i).squaredNorm() >= A.col(j).squaredNorm()) return;
    const Column ai = A.col(i);
    A.col(i) = A.col(j);
    A.col(j) = -ai;
    const Eigen::Matrix<double, cols, 1> vi = svd.V.col(i);
    svd.V.col(i) = svd.V.col(j);
    svd.V.col(j) = -vi;
  };
  order(0, 1);
  if constexpr (cols == 3) {
    order(1, 2);
    order(0, 1);
  }
  svd.stretches[0] = A.col(0).norm();
  svd.U.col(0) = A.col(0) / svd.stretches[0];
  if constexpr (rows == 2) {
    svd.U.col(1) = detail::unit_across<2>(svd.U.col(0));
    svd.stretches[1] = svd.U.col(1).dot(A.col(1));
  } else {
    // The part along the first column is rounding and goes; a column of nothing else becomes 0.
    const Column second = A.col(1) - svd.U.col(0).dot(A.col(1)) * svd.U.col(0);
    const double length = second.norm();
    if (length > std::numeric_limits<double>::min()) {
      svd.U.col(1) = second / length;
      svd.stretches[1] = svd.U.col(1).dot(A.col(1));
    } else {
      svd.U.col(1) = detail::unit_across<3>(svd.U.col(0));
      svd.stretches[1] = 0;
    }
    if constexpr (cols == 3) {
      svd.U.col(2) = svd.U.col(0).cross(svd.U.col(1));
      svd.stretches[2] = svd.U.col(2).dot(A.col(2));
    }
  }
  svd.stretches *= size;
  return svd;
}

/// F = R S with R the rotation nearest to F (for a membrane: with orthonormal columns) and S
/// symmetric, positive semidefinite unless F mirrors.
template <int rows, int cols>
struct Polar {
  Eigen::Matrix<double, rows, cols> R;
  Eigen::Matrix<double, cols, cols> S;
};

template <int rows, int cols>
[[nodiscard]] Polar<rows, cols> polar(const Eigen::Matrix<double, rows, cols>& F) {
  const SignedSvd<rows, cols> svd = signed_svd(F);
  return {svd.U * svd.V.transpose(), svd.V * svd.stretches.asDiagonal() * svd.V.transpose()};
}

}  // namespace sluice::solid
