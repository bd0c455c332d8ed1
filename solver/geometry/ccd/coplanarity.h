// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "solver/geometry/ccd/moving_polygon.h"
#include "solver/geometry/ccd/separation.h"
#include "solver/simd/query_lanes.h"

/// Private to ccd: certificates by the distance of the origin from the polygon's plane.
///
/// With x, y, z three corners and N = (y - x) x (z - x) that distance is |det[x, y, z]| / |N|, and
/// the polygon is no nearer. det is a cubic in t, with Bernstein coefficients c_i over a span; N is
/// a quadratic vector with coefficients N_i, so |N(t)| <= sum B_i(t) |N_i|, the norm being convex.
/// Raised to degree 3 that has coefficients e_i, and where the cubic of c_i - d e_i (or of
/// -c_i - d e_i) is positive the origin is farther than d. At the start of a span it is exact, and
/// its slope too, but for the second order of N's turn: it converges like Newton's method.
namespace sluice::geometry::ccd {

using namespace simd;

template <typename L>
struct Coplanarity {
  std::array<L, 4> determinants;     ///< Bernstein coefficients of det over [0, 1].
  L determinant_error;               ///< Bounds |computed - exact| of each.
  std::array<Vector<L>, 3> normals;  ///< Coefficients of N, likewise. Not set for distance 0.
  L normal_error;                    ///< Bounds the length of computed - exact of each.
};

/// Error bounds. Each coordinate is a difference rounded once (three factors in a product of
/// three). Each coefficient of det is a mean of determinants, so its terms add up to at most
/// 6 extent_x extent_y extent_z in magnitude, and each term passes at most 3 differences, 2
/// products and 7 sums, a division and its own share of roundings: fewer than 16 factors.
/// The sides y - x are below 2 extent and off by 4 u extent (two roundings of the corners, one of
/// their own, of twice the size); a component of N has two products of them, each off by at most
/// (2 * 2 * 4 + 4) u = 20 u extent_j extent_k, a sum of size 8, and for the mixed one another sum
/// and half: fewer than 64 u extent_j extent_k.
template <typename L, std::size_t count>
Coplanarity<L> coplanarity(const MovingPolygon<L, count>& polygon, const Vector<L>& extent,
                           double distance) {
  const Vector<L>&x_t0 = polygon.corners_t0[0], &y_t0 = polygon.corners_t0[1],
        &z_t0 = polygon.corners_t0[count - 1], &x_t1 = polygon.corners_t1[0],
        &y_t1 = polygon.corners_t1[1], &z_t1 = polygon.corners_t1[count - 1];
  const Vector<L> start = cross(y_t0, z_t0), end = cross(y_t1, z_t1);
  const Vector<L> mixed = cross(y_t0, z_t1) + cross(y_t1, z_t0);
  Coplanarity<L> result;
  result.determinants = {dot(x_t0, start), (dot(x_t1, start) + dot(x_t0, mixed)) / 3,
                         (dot(x_t0, end) + dot(x_t1, mixed)) / 3, dot(x_t1, end)};
  result.determinant_error =
      16 * 6 * unit_roundoff * (extent.x * extent.y * extent.z) + underflow_bound;
  if (distance == 0) return result;
  const Vector<L> a_t0 = y_t0 - x_t0, b_t0 = z_t0 - x_t0, a_t1 = y_t1 - x_t1, b_t1 = z_t1 - x_t1;
  result.normals = {cross(a_t0, b_t0), L(0.5) * (cross(a_t0, b_t1) + cross(a_t1, b_t0)),
                    cross(a_t1, b_t1)};
  result.normal_error =
      65 * unit_roundoff * (extent.x * extent.y + extent.y * extent.z + extent.z * extent.x) +
      underflow_bound;
  return result;
}

/// Given that the polygon is not within d before `from`, returns the time until which the cubic
/// shows that it is not, as advance(direction) does.
///
/// Subdivides at `from` (de Casteljau), lowers the coefficients of the right part by the error and
/// clips: the graph lies in the convex hull of its control points, and the leftmost zero of the
/// hull is on a segment from a point above zero to a later one that is not. It is no later than the
/// first root; near a simple root it is Newton's step, which therefore cannot overshoot.
/// Subdivision takes 3 rounds of convex combinations, each off by at most 4 u of the largest; that
/// of the normals 2.
template <typename L>
L advance(const Coplanarity<L>& cubic, L from, double distance) {
  std::array<L, 4> c = cubic.determinants;
  const L size = max(max(abs(c[0]), abs(c[1])), max(abs(c[2]), abs(c[3])));
  const L rest = L(1) - from;
  for (std::size_t end = 3; end > 0; --end) {
    for (std::size_t i = 0; i < end; ++i)
      c[i] = rest * c[i] + from * c[i + 1];
  }
  // c[0] is now the value at `from` and c[i] the coefficient of the part on [from, 1].
  const L error = 1.01 * cubic.determinant_error + 16 * unit_roundoff * size;
  const auto is_positive = c[0] > 0;
  for (L& coefficient : c)
    coefficient = select(is_positive, coefficient, -coefficient) - error;
  if (distance > 0) {
    std::array<Vector<L>, 3> N = cubic.normals;
    const L normal_size = max(max(length_bound(N[0]), length_bound(N[1])), length_bound(N[2]));
    for (std::size_t end = 2; end > 0; --end) {
      for (std::size_t i = 0; i < end; ++i)
        N[i] = rest * N[i] + from * N[i + 1];
    }
    const L normal_error = 1.01 * cubic.normal_error + 16 * unit_roundoff * normal_size;
    const L d = (1 + 16 * unit_roundoff) * distance;
    const std::array<L, 3> e = {length_bound(N[0]) + normal_error,
                                length_bound(N[1]) + normal_error,
                                length_bound(N[2]) + normal_error};
    c[0] = c[0] - d * e[0];
    c[1] = c[1] - d * ((e[0] + 2 * e[1]) / 3);
    c[2] = c[2] - d * ((2 * e[1] + e[2]) / 3);
    c[3] = c[3] - d * e[2];
  }
  L clip = whole_motion;
  for (std::size_t i = 1; i < 4; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const L ratio = c[j] / (c[j] - c[i]);
      const L zero = (L(static_cast<double>(j)) + ratio * L(static_cast<double>(i - j))) / 3;
      clip = select((c[j] > 0) & !(c[i] > 0), min(clip, zero), clip);
    }
  }
  const L reached =
      select(clip < whole_motion, (1 - 16 * unit_roundoff) * (from + rest * clip), whole_motion);
  return select((c[0] > 0) & (reached > from), reached, from);
}

}  // namespace sluice::geometry::ccd
