// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <functional>
#include <numbers>

#include "solver/geometry/triangle_mesh.h"

namespace sluice::geometry {

/// A box from `lower` to `upper`, of 12 triangles.
inline TriangleMesh make_box(const Vec3& lower, const Vec3& upper) {
  TriangleMesh mesh;
  for (int i = 0; i < 8; ++i) {
    mesh.vertices.emplace_back((i & 1) != 0 ? upper.x() : lower.x(),
                               (i & 2) != 0 ? upper.y() : lower.y(),
                               (i & 4) != 0 ? upper.z() : lower.z());
  }
  mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return mesh;
}

/// A body around the origin whose surface is `radius(u)` away in the direction u, by n circles of
/// latitude with 2 n points each.
inline TriangleMesh make_star(std::int32_t n, const std::function<double(const Vec3&)>& radius) {
  TriangleMesh mesh;
  const auto add = [&](const Vec3& direction) {
    mesh.vertices.emplace_back(radius(direction) * direction);
  };
  constexpr double pi = std::numbers::pi;
  add(Vec3::UnitZ());
  for (std::int32_t i = 1; i <= n; ++i) {
    for (std::int32_t j = 0; j < 2 * n; ++j) {
      const double polar = pi * i / (n + 1), azimuth = pi * j / n;
      add({std::sin(polar) * std::cos(azimuth), std::sin(polar) * std::sin(azimuth),
           std::cos(polar)});
    }
  }
  add(-Vec3::UnitZ());
  const std::int32_t last = 2 * n * n + 1;
  const auto at = [n](std::int32_t i, std::int32_t j) { return 1 + 2 * n * i + j % (2 * n); };
  for (std::int32_t j = 0; j < 2 * n; ++j) {
    mesh.triangles.push_back({0, at(0, j), at(0, j + 1)});
    for (std::int32_t i = 0; i + 1 < n; ++i) {
      mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      mesh.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
    mesh.triangles.push_back({last, at(n - 1, j + 1), at(n - 1, j)});
  }
  return mesh;
}

inline TriangleMesh make_sphere(std::int32_t n, double radius) {
  return make_star(n, [radius](const Vec3& /*direction*/) { return radius; });
}

/// A ring around the z axis: a tube of `minor` radius around a circle of `major` radius.
inline TriangleMesh make_torus(std::int32_t n, double major, double minor) {
  TriangleMesh mesh;
  constexpr double pi = std::numbers::pi;
  const std::int32_t around = 2 * n;
  for (std::int32_t i = 0; i < around; ++i) {
    for (std::int32_t j = 0; j < n; ++j) {
      const double u = 2 * pi * i / around, v = 2 * pi * j / n;
      const double r = major + minor * std::cos(v);
      mesh.vertices.emplace_back(r * std::cos(u), r * std::sin(u), minor * std::sin(v));
      const auto at = [&](std::int32_t a, std::int32_t b) { return a % around * n + b % n; };
      mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      mesh.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  }
  return mesh;
}

/// A smooth body without symmetry: bumps of some 10 % of its size.
inline TriangleMesh make_bumpy(std::int32_t n) {
  return make_star(n, [](const Vec3& u) {
    return 1 + 0.08 * std::sin(7 * u.x() + 1) * std::cos(6 * u.y() - 2) +
           0.06 * std::sin(9 * u.z() + 5 * u.x()) + 0.05 * std::cos(8 * u.y() + 3 * u.z());
  });
}

inline TriangleMesh turned(TriangleMesh mesh) {
  for (TriangleIndices& triangle : mesh.triangles)
    std::swap(triangle[1], triangle[2]);
  return mesh;
}

/// Both meshes in one.
inline TriangleMesh joined(TriangleMesh mesh, const TriangleMesh& other) {
  const auto offset = static_cast<std::int32_t>(mesh.vertices.size());
  mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin(), other.vertices.end());
  for (const TriangleIndices& t : other.triangles)
    mesh.triangles.push_back({t[0] + offset, t[1] + offset, t[2] + offset});
  return mesh;
}

inline TriangleMesh moved(TriangleMesh mesh, const Vec3& by) {
  for (Vec3& vertex : mesh.vertices)
    vertex += by;
  return mesh;
}

}  // namespace sluice::geometry
