// SPDX-License-Identifier: Apache-2.0
// Oracle: [Turek2006] CSM1 and CSM2, the elastic plate behind the cylinder under its weight alone;
// displacement of its end A = (0.6, 0.2), from the finest mesh of the benchmark's page (Featflow,
// biquadratic elements, level 5+1).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "solver/solid/continuum.h"
#include "tests/validation/solid/static_equilibrium.h"

namespace sluice::solid {
namespace {

/// The plate: nx x ny cells of four triangles around a midpoint, which has no preferred diagonal.
/// Its left end is the arc of the cylinder, where it is held.
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

/// At rest under its weight, starting from `x`, which has its place at the end.
void settle(const Plate& plate, const Elasticity& elasticity, std::vector<Vec3>& x) {
  const auto elastic =
      make_plane_triangles(plate.vertices, plate.triangles,
                           {IsotropicModel::st_venant_kirchhoff, lame_of(elasticity).value()});
  StaticProblem problem{{elastic.get()}, {}, {}};
  problem.forces.assign(plate.vertices.size(), Vec3::Zero());
  problem.is_free.assign(plate.vertices.size(), {true, true, false});
  constexpr double density = 1000, gravity = 2;
  for (const auto& [a, b, c] : plate.triangles) {
    const Vec3 origin = plate.vertices[static_cast<std::size_t>(a)];
    const double area = 0.5 * (plate.vertices[static_cast<std::size_t>(b)] - origin)
                                  .cross(plate.vertices[static_cast<std::size_t>(c)] - origin)
                                  .norm();
    for (const int vertex : {a, b, c})
      problem.forces[static_cast<std::size_t>(vertex)].y() -= density * gravity * area / 3;
  }
  for (int j = 0; j <= plate.ny; ++j)
    problem.is_free[static_cast<std::size_t>(plate.corner(0, j))] = {false, false, false};
  const StaticReport report =
      StaticSolver(std::move(problem)).solve(x, 1e-7);  // Of 14 N; rounding is 1e-9.
  ASSERT_TRUE(report.is_converged) << report.iterations;
}

/// Distances of A from the published place, relative to how far it moves, mesh by mesh.
std::vector<double> errors(const Elasticity& elasticity, const Vec3& published, int finest) {
  std::vector<double> found;
  Plate plate(24, 2);
  std::vector<Vec3> x = plate.vertices;
  settle(plate, elasticity, x);
  for (int rows = 4; rows <= finest; rows *= 2) {
    const Plate finer(12 * rows, rows);
    x = finer.moved_as(plate, x);
    plate = finer;
    settle(plate, elasticity, x);
    const Vec3 displacement = x[plate.tip()] - plate.vertices[plate.tip()];
    found.push_back((displacement - published).norm() / published.norm());
    std::printf("%2d rows, %6zu triangles: (%.4f, %.4f) mm, %.3f %%\n", rows,
                plate.triangles.size(), 1e3 * displacement.x(), 1e3 * displacement.y(),
                100 * found.back());
  }
  return found;
}

TEST(TurekHronTest, csm1) {
  const auto error = errors({1.4e6, 0.4}, 1e-3 * Vec3(-7.18767, -66.1023, 0), 32);
  EXPECT_LE(error.back(), 0.0015);
  for (std::size_t i = 1; i < error.size(); ++i)
    EXPECT_LE(error[i], 0.4 * error[i - 1]);
}

TEST(TurekHronTest, csm2) {
  const auto error = errors({5.6e6, 0.4}, 1e-3 * Vec3(-0.469, -16.9739, 0), 32);
  EXPECT_LE(error.back(), 0.0015);
  for (std::size_t i = 1; i < error.size(); ++i)
    EXPECT_LE(error[i], 0.4 * error[i - 1]);
}

}  // namespace
}  // namespace sluice::solid
