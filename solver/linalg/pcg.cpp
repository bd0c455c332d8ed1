// SPDX-License-Identifier: Apache-2.0
#include "solver/linalg/pcg.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "solver/linalg/vectors.h"

namespace sluice::linalg {

PcgReport Pcg::solve(const LinearMap& A, const LinearMap& preconditioner, std::span<const Vec3> b,
                     double tolerance, int max_iterations, std::span<Vec3> x) {
  residual_.assign(b.begin(), b.end());
  preconditioned_.resize(b.size());
  image_.resize(b.size());
  std::fill(x.begin(), x.end(), Vec3::Zero());
  preconditioner(residual_, preconditioned_);
  direction_ = preconditioned_;
  double rz = dot(residual_, preconditioned_);
  PcgReport report;
  if (!(rz > 0)) return report;
  const double rz_at_start = rz;
  report.residual = 1;
  while (report.iterations < max_iterations && report.residual > tolerance) {
    A(direction_, image_);
    const double curvature = dot(direction_, image_);
    if (!(curvature > 0)) {
      report.is_indefinite = true;
      if (report.iterations == 0) std::copy(direction_.begin(), direction_.end(), x.begin());
      break;
    }
    const double alpha = rz / curvature;
    add_scaled(alpha, direction_, x);
    add_scaled(-alpha, image_, residual_);
    preconditioner(residual_, preconditioned_);
    const double rz_next = dot(residual_, preconditioned_);
    step_along(preconditioned_, rz_next / rz, direction_, direction_);
    rz = rz_next;
    ++report.iterations;
    report.residual = std::sqrt(std::max(rz, 0.0) / rz_at_start);
  }
  return report;
}

BlockJacobi::BlockJacobi(const BlockMatrix& A) : inverses_(A.pattern().row_count()) {
  for (std::size_t i = 0; i < inverses_.size(); ++i) {
    const Mat3 block = A.block(A.pattern().diagonal[i]);
    if (Eigen::LLT<Mat3>(block).info() == Eigen::Success) {
      inverses_[i] = block.inverse();
    } else {
      const double trace = block.trace();
      inverses_[i] = Mat3::Identity() / (trace > 0 ? trace : 1);
    }
  }
}

void BlockJacobi::operator()(std::span<const Vec3> r, std::span<Vec3> z) const {
  for (std::size_t i = 0; i < inverses_.size(); ++i)
    z[i] = inverses_[i] * r[i];
}

}  // namespace sluice::linalg
