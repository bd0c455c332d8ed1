// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "solver/geometry/separation.h"
#include "solver/types.h"

/// Private to ccd.cpp: certificates by the cubic of coplanarity.
namespace sluice::geometry::ccd {

/// det[x(t), y(t), z(t)] of three vectors linear in t, as Bernstein coefficients over [0, 1].
struct Cubic {
  std::array<double, 4> coefficients;
  double error;  ///< Bounds |computed - exact| of each.
};

/// `extent` bounds |coordinate| of all six, by axis, each of them a difference rounded once (three
/// factors), or a sum of two such (`extent` then bounds the parts).
///
/// Error bound: each coefficient is a mean of determinants, so its terms add up to at most
/// 6 extent_x extent_y extent_z in magnitude, and each term passes at most 3 differences, 2
/// products and 7 sums, a division and its own share of roundings: fewer than 16 factors.
inline Cubic coplanarity(const Vec3& x_t0, const Vec3& y_t0, const Vec3& z_t0, const Vec3& x_t1,
                         const Vec3& y_t1, const Vec3& z_t1, const Vec3& extent) {
  const Vec3 start = y_t0.cross(z_t0), end = y_t1.cross(z_t1);
  const Vec3 mixed = y_t0.cross(z_t1) + y_t1.cross(z_t0);
  return {{x_t0.dot(start), (x_t1.dot(start) + x_t0.dot(mixed)) / 3,
           (x_t0.dot(end) + x_t1.dot(mixed)) / 3, x_t1.dot(end)},
          16 * 6 * unit_roundoff * (extent.x() * extent.y() * extent.z()) + underflow_bound};
}

/// Given no contact before `from`, how far the cubic shows that there is none; as
/// advance(direction).
///
/// Subdivides at `from` (de Casteljau), lowers the coefficients of the right part by the error and
/// clips: the graph lies in the convex hull of its control points, and the leftmost zero of the
/// hull is on a segment from a point above zero to a later one that is not. It is no later than the
/// first root; near a simple root it is Newton's step, which therefore cannot overshoot.
/// Subdivision takes 3 rounds of convex combinations, each off by at most 4 u of the largest.
inline double advance(const Cubic& cubic, double from) {
  std::array<double, 4> c = cubic.coefficients;
  double largest = 0;
  for (const double coefficient : c)
    largest = std::max(largest, std::abs(coefficient));
  const double rest = 1 - from;
  for (std::size_t end = 3; end > 0; --end) {
    for (std::size_t i = 0; i < end; ++i)
      c[i] = rest * c[i] + from * c[i + 1];
  }
  // c[0] is now the value at `from` and c[i] the coefficient of the part on [from, 1].
  const double error = 1.01 * cubic.error + 16 * unit_roundoff * largest;
  const double sign = c[0] > 0 ? 1 : -1;
  for (double& coefficient : c)
    coefficient = sign * coefficient - error;
  if (!(c[0] > 0)) return from;
  double clip = whole_motion;
  for (std::size_t i = 1; i < 4; ++i) {
    if (c[i] > 0) continue;
    for (std::size_t j = 0; j < i; ++j) {
      if (!(c[j] > 0)) continue;
      const double ratio = c[j] / (c[j] - c[i]);
      clip = std::min(clip, (static_cast<double>(j) + ratio * static_cast<double>(i - j)) / 3);
    }
  }
  if (clip == whole_motion) return whole_motion;
  return std::max(from, (1 - 16 * unit_roundoff) * (from + rest * clip));
}

}  // namespace sluice::geometry::ccd
