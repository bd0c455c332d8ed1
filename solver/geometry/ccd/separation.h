// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "solver/geometry/ccd/moving_polygon.h"
#include "solver/simd/query_lanes.h"

/// Private to ccd: certificates by separating directions.
///
/// A direction n keeps the polygon farther than d from the origin at time t if n . V_i > d |n| for
/// all its corners V_i, as n . V <= |n| |V|. And n . V_i(t) is linear in t.
///
/// Error bound. With v the exact and v^ the rounded difference, each term of the computed dot
/// product is n_k v_k times at most 4 factors (1 + e), |e| <= u: one of the difference, one of the
/// product, two of the sums. So it is off by at most 4.1 u sum |n_k| |v^_k| plus underflow; the
/// bound used is 8 u sum |n_k| extent_k, whose slack also covers its own rounding and that of the
/// final subtraction. n itself is taken as rounded.
namespace sluice::geometry::ccd {

using namespace simd;

/// The value that a computed n . V must exceed for the exact one to exceed d |n|.
template <typename L>
L separation_bound(const Vector<L>& n, const Vector<L>& extent, double distance) {
  const L error = 8 * unit_roundoff * dot(abs(n), extent) + underflow_bound;
  if (distance == 0) return error;
  return error + (1 + 8 * unit_roundoff) * distance * length_bound(n);
}

/// Finds where a coordinate axis separates the whole motion. Exact for d = 0: a rounded difference
/// has the sign of the exact one. Else it is off by a factor (1 + u).
template <typename L>
typename L::Mask is_separated_by_an_axis(const MotionBox<L>& box, double distance) {
  const L gap = (1 + 4 * unit_roundoff) * distance;
  return (box.lower.x > gap) | (box.lower.y > gap) | (box.lower.z > gap) | (box.upper.x < -gap) |
         (box.upper.y < -gap) | (box.upper.z < -gap);
}

/// Finds where `n`, or its opposite, separates the whole motion.
template <typename L, std::size_t count>
typename L::Mask is_separated_by(const MovingPolygon<L, count>& polygon, const Vector<L>& n,
                                 const Vector<L>& extent, double distance) {
  L lower = dot(n, polygon.corners_t0[0]), upper = lower;
  for (std::size_t i = 0; i < count; ++i) {
    const L left = dot(n, polygon.corners_t0[i]), right = dot(n, polygon.corners_t1[i]);
    lower = min(lower, min(left, right));
    upper = max(upper, max(left, right));
  }
  const L bound = separation_bound(n, extent, distance);
  return (lower > bound) | (upper < -bound);
}

constexpr double whole_motion = 2;  ///< The time that advance returns past the end of [0, 1].

/// Given that the polygon is not within d before `from`, returns the time until which `direction`
/// shows that it is not: a later one, whole_motion if beyond 1, or `from` if it shows nothing.
///
/// The exact n . V_i - d |n| at t is at least (1 - t) left + t right.
template <typename L, std::size_t count>
L advance(const MovingPolygon<L, count>& polygon, const Vector<L>& extent,
          const Vector<L>& direction, L from, double distance) {
  // So that no product is large, nor all of them denormal. A direction without length makes NaN,
  // which shows nothing.
  const Vector<L> n = (L(1) / largest(abs(direction))) * direction;
  const L bound = separation_bound(n, extent, distance);
  // Both roundings of a quotient of positive numbers, and more.
  constexpr double down = 1 - 8 * unit_roundoff, up = 1 + 8 * unit_roundoff;
  L first = -1, last = whole_motion;  // Separated for t in (first, last).
  typename L::Mask never = last < first;
  for (std::size_t i = 0; i < count; ++i) {
    const L left = dot(n, polygon.corners_t0[i]) - bound;
    const L right = dot(n, polygon.corners_t1[i]) - bound;
    const auto is_left = left > 0, is_right = right > 0;
    const L crossing = left / (left - right);
    last = select(is_left & !is_right, min(last, down * crossing), last);
    first = select(is_right & !is_left, max(first, up * crossing), first);
    never = never | !(is_left | is_right);
  }
  // `first < from` also holds the start: with from = 0 every left must have been positive.
  return select((first < from) & (last > from) & !never, last, from);
}

}  // namespace sluice::geometry::ccd
