// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include "solver/types.h"

/// Private to ccd.cpp: certificates by separating directions.
namespace sluice::geometry::ccd {

constexpr double unit_roundoff = std::numeric_limits<double>::epsilon() / 2;  // u = 2^-53
// Relative coordinates must be below this, so that nothing overflows, and so that what underflow
// can add to a handful of operations, 2^-1075 each times a coordinate, stays below the next
// constant.
constexpr double max_extent = 0x1p40;
constexpr double underflow_bound = std::numeric_limits<double>::min();  // 2^-1022

/// The points whose convex hull must avoid the origin, at both ends of the motion.
///
/// Each coordinate is the difference of two of the caller's, rounded once: relative error u.
template <std::size_t count>
struct MovingHull {
  std::array<Vec3, count> points_t0, points_t1;
  Vec3 extent;  ///< Largest |coordinate| of any of them, by axis.

  void measure() {
    extent.setZero();
    for (std::size_t i = 0; i < count; ++i) {
      extent = extent.cwiseMax(points_t0[i].cwiseAbs()).cwiseMax(points_t1[i].cwiseAbs());
    }
  }

  /// The points at time t, rounded: good for choosing a direction, not for deciding anything.
  [[nodiscard]] std::array<Vec3, count> at(double t) const {
    std::array<Vec3, count> points;
    for (std::size_t i = 0; i < count; ++i)
      points[i] = points_t0[i] + t * (points_t1[i] - points_t0[i]);
    return points;
  }

  /// True if a coordinate axis separates the whole motion. Exact: a rounded difference has the sign
  /// of the exact one.
  [[nodiscard]] bool is_separated_by_an_axis() const {
    Vec3 lower = points_t0[0].cwiseMin(points_t1[0]), upper = points_t0[0].cwiseMax(points_t1[0]);
    for (std::size_t i = 1; i < count; ++i) {
      lower = lower.cwiseMin(points_t0[i]).cwiseMin(points_t1[i]);
      upper = upper.cwiseMax(points_t0[i]).cwiseMax(points_t1[i]);
    }
    return (lower.array() > 0).any() || (upper.array() < 0).any();
  }
};

constexpr double whole_motion = 2;  ///< What advance returns past the end of [0, 1].

/// Given that there is no contact before `from`, how far `direction` shows that there is none:
/// a later time, whole_motion if none up to and including 1, or `from` if it shows nothing.
///
/// Error bound. With d the exact and d^ the rounded difference, each term of the computed dot
/// product is n_k d_k times at most 4 factors (1 + e), |e| <= u: one of the difference, one of the
/// product, two of the sums. So it is off by at most 4.1 u sum |n_k| |d^_k| plus underflow; the
/// bound used is 8 u sum |n_k| extent_k, whose slack also covers its own rounding and that of the
/// final subtraction. The exact value at t is then at least (1 - t) left + t right.
template <std::size_t count>
double advance(const MovingHull<count>& hull, const Vec3& direction, double from) {
  const double length = direction.cwiseAbs().maxCoeff();
  if (!(length > 0)) return from;
  const Vec3 n = direction / length;  // So that no product is large, nor all of them denormal.
  const double error = 8 * unit_roundoff * n.cwiseAbs().dot(hull.extent) + underflow_bound;
  // Both roundings of a quotient of positive numbers, and more.
  constexpr double down = 1 - 8 * unit_roundoff, up = 1 + 8 * unit_roundoff;
  double first = -1, last = whole_motion;  // Separated for t in (first, last).
  for (std::size_t i = 0; i < count; ++i) {
    const double left = n.dot(hull.points_t0[i]) - error;
    const double right = n.dot(hull.points_t1[i]) - error;
    if (left > 0 && right > 0) continue;
    if (left > 0) {
      last = std::min(last, down * (left / (left - right)));
    } else if (right > 0) {
      first = std::max(first, up * (left / (left - right)));
    } else {
      return from;
    }
  }
  // `first < from` also holds the start: with from = 0 every left must have been positive.
  return first < from && last > from ? last : from;
}

}  // namespace sluice::geometry::ccd
