// SPDX-License-Identifier: Apache-2.0
#include "tests/certificate/exact_distance.h"

#include <boost/multiprecision/cpp_int.hpp>

#include <cstddef>
#include <vector>

namespace sluice::certificate {
namespace {

using Rational = boost::multiprecision::cpp_rational;
using Rational3 = std::array<Rational, 3>;

Rational3 operator-(const Rational3& a, const Rational3& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

Rational dot(const Rational3& a, const Rational3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

Rational3 cross(const Rational3& a, const Rational3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

std::array<Rational3, 4> points_at(const Motion<4>& motion, double t) {
  std::array<Rational3, 4> points;
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const Rational start(motion.start[i][static_cast<Eigen::Index>(axis)]);
      const Rational end(motion.end[i][static_cast<Eigen::Index>(axis)]);
      points[i][axis] = start + Rational(t) * (end - start);
    }
  }
  return points;
}

/// Whether the origin is within `distance` of a convex polygon: of a corner, of an edge between its
/// ends, or of the face over its inside.
bool origin_is_within(const std::vector<Rational3>& corners, double distance) {
  const Rational d(distance), squared = d * d;
  const Rational3 normal = cross(corners[1] - corners[0], corners.back() - corners[0]);
  bool is_over_face = true;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Rational3 &p = corners[i], &q = corners[(i + 1) % corners.size()];
    if (dot(p, p) <= squared) return true;
    const Rational3 edge = q - p, moment = cross(p, q);
    const Rational along = -dot(p, edge), length_squared = dot(edge, edge);
    if (along > 0 && along < length_squared && dot(moment, moment) <= squared * length_squared) {
      return true;
    }
    if (dot(normal, moment) <= 0) is_over_face = false;
  }
  const Rational height = dot(normal, corners[0]);
  return is_over_face && height * height <= squared * dot(normal, normal);
}

}  // namespace

bool point_is_within(const Motion<4>& motion, double t, double distance) {
  const auto [p, a, b, c] = points_at(motion, t);
  return origin_is_within({a - p, b - p, c - p}, distance);
}

bool edge_is_within(const Motion<4>& motion, double t, double distance) {
  const auto [a, b, c, d] = points_at(motion, t);
  return origin_is_within({a - c, b - c, b - d, a - d}, distance);
}

}  // namespace sluice::certificate
