// SPDX-License-Identifier: Apache-2.0
#include "tests/certificate/sure_separation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace sluice::certificate {
namespace {

static_assert(std::numeric_limits<long double>::digits >= 64);

using Vector = Eigen::Matrix<long double, 3, 1>;
using Points = std::array<Vector, 4>;

// Corners whose hull contains the origin at a contact.
std::vector<Vector> point_triangle_corners(const Points& p) {
  return {p[1] - p[0], p[2] - p[0], p[3] - p[0]};
}
std::vector<Vector> edge_edge_corners(const Points& p) {
  return {p[0] - p[2], p[1] - p[2], p[0] - p[3], p[1] - p[3]};
}

Points points_at(const Motion<4>& motion, double t) {
  Points points;
  for (std::size_t i = 0; i < 4; ++i) {
    const Vector start = motion.start[i].cast<long double>();
    points[i] = start + static_cast<long double>(t) * (motion.end[i].cast<long double>() - start);
  }
  return points;
}

/// Whether the hull of `corners`, differences of two points with coordinates below `size` between
/// their ends, avoids the origin. With u = 2^-64 a point is off by at most 5 u size, a corner by
/// 12 u size, a dot product with n by 18 u |n|_1 size; the margin is 64 u |n|_1 size.
bool hull_avoids_origin(const std::vector<Vector>& corners, long double size) {
  constexpr int most_steps = 12;
  Vector nearest = corners[0];
  for (int step = 0; step < most_steps; ++step) {
    const auto along = [&](const Vector& corner) { return nearest.dot(corner); };
    const Vector& support =
        *std::min_element(corners.begin(), corners.end(),
                          [&](const Vector& a, const Vector& b) { return along(a) < along(b); });
    const long double margin = std::ldexp(nearest.lpNorm<1>() * size, -58);
    if (along(support) > margin) return true;
    const Vector way = support - nearest;
    const long double length_squared = way.squaredNorm();
    if (!(length_squared > 0)) return false;
    nearest += std::clamp(-nearest.dot(way) / length_squared, 0.0L, 1.0L) * way;
  }
  return false;
}

template <typename Corners>
bool is_apart(const Motion<4>& motion, double first, double last, long double size, int depth,
              Corners&& corners_of) {
  std::vector<Vector> corners = corners_of(points_at(motion, first));
  const std::vector<Vector> at_last = corners_of(points_at(motion, last));
  corners.insert(corners.end(), at_last.begin(), at_last.end());
  if (hull_avoids_origin(corners, size)) return true;
  if (depth == 0) return false;
  const double middle = (first + last) / 2;  // Exact at this depth.
  return is_apart(motion, first, middle, size, depth - 1, corners_of) &&
         is_apart(motion, middle, last, size, depth - 1, corners_of);
}

template <typename Corners>
bool is_apart(const Motion<4>& motion, Corners&& corners_of) {
  constexpr int depth = 5;
  double size = 0;
  for (const auto* points : {&motion.start, &motion.end}) {
    for (const Vec3& point : *points)
      size = std::max(size, point.cwiseAbs().maxCoeff());
  }
  return is_apart(motion, 0, 1, size, depth, corners_of);
}

}  // namespace

bool point_is_surely_apart(const Motion<4>& motion) {
  return is_apart(motion, point_triangle_corners);
}

bool edge_is_surely_apart(const Motion<4>& motion) { return is_apart(motion, edge_edge_corners); }

}  // namespace sluice::certificate
