// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "solver/solid/continuum.h"

namespace sluice::solid {

/// The plate of [Turek2006]: nx x ny cells of four triangles around a midpoint, which has no
/// preferred diagonal. Its left end is the arc of the cylinder, where it is held.
struct Plate {
  int nx, ny;
  std::vector<Vec3> vertices;  ///< (nx + 1)(ny + 1) corners, x fastest, then the midpoints.
  std::vector<TriangleIndices> triangles;

  Plate(int columns, int rows) : nx(columns), ny(rows) {
    for (int j = 0; j <= ny; ++j) {
      for (int i = 0; i <= nx; ++i)
        vertices.push_back(at(i, j));
    }
    for (int j = 0; j < ny; ++j) {
      for (int i = 0; i < nx; ++i) {
        const int a = corner(i, j), b = a + 1, c = corner(i, j + 1), d = c + 1;
        const int middle = static_cast<int>(vertices.size());
        vertices.push_back(at(i + 0.5, j + 0.5));
        for (const auto& [p, q] : {std::array{a, b}, {b, d}, {d, c}, {c, a}})
          triangles.push_back({p, q, middle});
      }
    }
  }

  [[nodiscard]] int corner(int i, int j) const { return j * (nx + 1) + i; }
  [[nodiscard]] std::size_t tip() const { return static_cast<std::size_t>(corner(nx, ny / 2)); }

  /// [kg] By vertex, a metre deep: a third of each triangle's to each of its corners.
  [[nodiscard]] std::vector<double> masses(double density) const {
    std::vector<double> mass(vertices.size(), 0);
    for (const auto& [a, b, c] : triangles) {
      const Vec3 origin = vertices[static_cast<std::size_t>(a)];
      const double area = 0.5 * (vertices[static_cast<std::size_t>(b)] - origin)
                                    .cross(vertices[static_cast<std::size_t>(c)] - origin)
                                    .norm();
      for (const int vertex : {a, b, c})
        mass[static_cast<std::size_t>(vertex)] += density * area / 3;
    }
    return mass;
  }

  [[nodiscard]] std::unique_ptr<Potential> elasticity(const Elasticity& constants) const {
    return make_plane_triangles(vertices, triangles,
                                {SaintVenantKirchhoff::name, lame_of(constants).value()});
  }

  [[nodiscard]] Vec3 at(double i, double j) const {
    constexpr double radius = 0.05, center = 0.2, end = 0.6, thickness = 0.02;
    const double y = center + thickness * (j / ny - 0.5);
    const double left = center + std::sqrt(radius * radius - (y - center) * (y - center));
    return {left + (end - left) * i / nx, y, 0};
  }

  /// The displacement of this plate, known by vertex, at (s, t) in [0, 1]^2 of it.
  [[nodiscard]] Vec3 displacement(const std::vector<Vec3>& x, double s, double t) const {
    const int i = std::min(static_cast<int>(s * nx), nx - 1);
    const int j = std::min(static_cast<int>(t * ny), ny - 1);
    const double u = s * nx - i, v = t * ny - j;
    const auto of = [&](int a, int b) -> Vec3 {
      const auto index = static_cast<std::size_t>(corner(a, b));
      return x[index] - vertices[index];
    };
    return (1 - v) * ((1 - u) * of(i, j) + u * of(i + 1, j)) +
           v * ((1 - u) * of(i, j + 1) + u * of(i + 1, j + 1));
  }

  /// Moves the vertices as those of a coarser plate have moved.
  [[nodiscard]] std::vector<Vec3> moved_as(const Plate& other, const std::vector<Vec3>& x) const {
    std::vector<Vec3> moved = vertices;
    std::size_t index = 0;
    for (int j = 0; j <= ny; ++j) {
      for (int i = 0; i <= nx; ++i)
        moved[index++] += other.displacement(x, double(i) / nx, double(j) / ny);
    }
    for (int j = 0; j < ny; ++j) {
      for (int i = 0; i < nx; ++i)
        moved[index++] += other.displacement(x, (i + 0.5) / nx, (j + 0.5) / ny);
    }
    return moved;
  }
};

}  // namespace sluice::solid
