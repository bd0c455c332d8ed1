// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "solver/geometry/covered_fraction.h"
#include "solver/geometry/triangle_mesh.h"

namespace sluice::geometry {

/// The polygon's part where normal . p <= most.
inline std::vector<Eigen::Vector2d> cut(const std::vector<Eigen::Vector2d>& polygon,
                                        const Eigen::Vector2d& normal, double most) {
  std::vector<Eigen::Vector2d> result;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Eigen::Vector2d &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    const double at_a = normal.dot(a) - most, at_b = normal.dot(b) - most;
    if (at_a <= 0) result.push_back(a);
    if ((at_a <= 0) != (at_b <= 0)) result.emplace_back(a + at_a / (at_a - at_b) * (b - a));
  }
  return result;
}

/// [m^2] of a face in a tetrahedron.
inline double section_area(const std::array<Vec3, 4>& corners, const AxisFace& face) {
  const int u = (face.axis + 1) % 3, v = (face.axis + 2) % 3;
  std::vector<Vec3> above, below;
  for (const Vec3& x : corners)
    (x[face.axis] >= face.lower[face.axis] ? above : below).push_back(x - face.lower);
  std::vector<Eigen::Vector2d> polygon;
  const auto add = [&](const Vec3& a, const Vec3& b) {
    const Vec3 x = a + a[face.axis] / (a[face.axis] - b[face.axis]) * (b - a);
    polygon.emplace_back(x[u], x[v]);
  };
  for (std::size_t i = 0; i < above.size(); ++i) {  // Every other one backwards: around the quad.
    for (std::size_t j = 0; j < below.size(); ++j)
      add(above[i], below[i % 2 == 0 ? j : below.size() - 1 - j]);
  }
  polygon = cut(polygon, {1, 0}, face.edges[0]);
  polygon = cut(polygon, {-1, 0}, 0);
  polygon = cut(polygon, {0, 1}, face.edges[1]);
  polygon = cut(polygon, {0, -1}, 0);
  double twice = 0;
  for (std::size_t i = 2; i < polygon.size(); ++i) {
    const Eigen::Vector2d a = polygon[i - 1] - polygon[0], b = polygon[i] - polygon[0];
    twice += a.x() * b.y() - a.y() * b.x();
  }
  return std::abs(twice) / 2;
}

/// [m^2] of a face in a closed mesh, by the signed sum over the tetrahedra of a point and each
/// triangle: no outline, no order, convex polygons only.
inline double section_area(const TriangleMesh& mesh, const AxisFace& face) {
  const Vec3 apex(0.01, 0.02, 0.03);
  double sum = 0;
  for (const TriangleIndices& triangle : mesh.triangles) {
    const auto at = [&](std::size_t i) {
      return mesh.vertices[static_cast<std::size_t>(triangle[i])];
    };
    const double volume = (at(0) - apex).dot((at(1) - apex).cross(at(2) - apex));
    sum += std::copysign(section_area({apex, at(0), at(1), at(2)}, face), volume);
  }
  return sum;
}

}  // namespace sluice::geometry
