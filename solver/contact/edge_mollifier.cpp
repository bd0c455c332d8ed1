// SPDX-License-Identifier: Apache-2.0
#include "solver/contact/edge_mollifier.h"

namespace sluice::contact {
namespace {

using geometry::kronecker;
using geometry::Mat12;
using geometry::PairPoints;
using geometry::Vec12;
using geometry::Vec4;

// u = b - a and v = d - c, by the points of the pair.
const Vec4 of_u{-1, 1, 0, 0}, of_v{0, 0, -1, 1};

}  // namespace

double edge_mollifier_value(const PairPoints& x, double range) noexcept {
  const double s = (x[1] - x[0]).cross(x[3] - x[2]).squaredNorm();
  if (s >= range) return 1;
  return s / range * (2 - s / range);
}

EdgeMollifier edge_mollifier(const PairPoints& x, double range) noexcept {
  const Vec3 u = x[1] - x[0], v = x[3] - x[2], w = u.cross(v);
  const double s = w.squaredNorm() / range;
  if (s >= 1) return {1, Vec12::Zero(), Mat12::Zero()};
  // The derivatives of |w|^2: 2 v x w by u, 2 w x u by v; then the second derivatives.
  const Vec12 slope = 2 / range * (kronecker(of_u, v.cross(w)) + kronecker(of_v, w.cross(u)));
  const Mat3 uu = 2 * (v.squaredNorm() * Mat3::Identity() - v * v.transpose());
  const Mat3 vv = 2 * (u.squaredNorm() * Mat3::Identity() - u * u.transpose());
  const Mat3 uv = 2 * (2 * u * v.transpose() - v * u.transpose() - u.dot(v) * Mat3::Identity());
  Mat12 H;
  for (Eigen::Index i = 0; i < 4; ++i) {
    for (Eigen::Index j = 0; j < 4; ++j) {
      H.block<3, 3>(3 * i, 3 * j) = of_u[i] * of_u[j] * uu + of_v[i] * of_v[j] * vv +
                                    of_u[i] * of_v[j] * uv + of_v[i] * of_u[j] * uv.transpose();
    }
  }
  return {s * (2 - s), 2 * (1 - s) * slope,
          2 * (1 - s) / range * H - 2 * slope * slope.transpose()};
}

}  // namespace sluice::contact
