// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <limits>

#include "solver/simd/query_lanes.h"

/// Private to ccd: what both kinds of query come down to, and how far its numbers may be off.
namespace sluice::geometry::ccd {

using namespace simd;

constexpr double unit_roundoff = std::numeric_limits<double>::epsilon() / 2;  // u = 2^-53
// Relative coordinates must be below this, so that nothing overflows, and so that what underflow
// can add to a handful of operations, 2^-1075 each times a coordinate, stays below the next
// constant.
constexpr double max_extent = 0x1p40;
constexpr double underflow_bound = std::numeric_limits<double>::min();  // 2^-1022

/// A triangle or a parallelogram relative to the origin, its corners in cyclic order: the distance
/// asked about is that of the origin from it. Corners move straight from t = 0 to 1.
///
/// Each coordinate is the difference of two of the caller's, rounded once: relative error u.
template <typename L, std::size_t count>
struct MovingPolygon {
  std::array<Vector<L>, count> corners_t0, corners_t1;

  /// The corners at time t, rounded: good for choosing a direction, not for deciding anything.
  [[nodiscard]] std::array<Vector<L>, count> at(L t) const {
    std::array<Vector<L>, count> corners;
    for (std::size_t i = 0; i < count; ++i)
      corners[i] = corners_t0[i] + t * (corners_t1[i] - corners_t0[i]);
    return corners;
  }
};

/// The box of all corners at both ends: exactly that of the rounded coordinates.
template <typename L>
struct MotionBox {
  Vector<L> lower, upper;

  template <std::size_t count>
  explicit MotionBox(const MovingPolygon<L, count>& polygon)
      : lower(min(polygon.corners_t0[0], polygon.corners_t1[0])),
        upper(max(polygon.corners_t0[0], polygon.corners_t1[0])) {
    for (std::size_t i = 1; i < count; ++i) {
      lower = min(lower, min(polygon.corners_t0[i], polygon.corners_t1[i]));
      upper = max(upper, max(polygon.corners_t0[i], polygon.corners_t1[i]));
    }
  }

  /// Largest |coordinate| by axis.
  [[nodiscard]] Vector<L> extent() const {
    return {max(upper.x, -lower.x), max(upper.y, -lower.y), max(upper.z, -lower.z)};
  }
};

/// An upper bound of |n|: n . n has a relative error of 3 u besides underflow, halved by the root.
template <typename L>
L length_bound(const Vector<L>& n) {
  return (1 + 8 * unit_roundoff) * sqrt(dot(n, n) + underflow_bound);
}

}  // namespace sluice::geometry::ccd
