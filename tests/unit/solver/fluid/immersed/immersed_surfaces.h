// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Geometry>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "solver/fluid/immersed_solids.h"
#include "solver/fluid/lattice/cell_frame.h"
#include "tests/unit/solver/geometry/closed_meshes.h"

namespace sluice::fluid::test {

/// Surfaces with one array of vertices.
struct ImmersedSurfaces {
  std::vector<Vec3> positions;
  std::vector<std::vector<TriangleIndices>> triangles;  ///< By surface.
  std::vector<bool> is_closed;

  void add(const geometry::TriangleMesh& mesh, bool encloses) {
    const auto first = static_cast<std::int32_t>(positions.size());
    positions.insert(positions.end(), mesh.vertices.begin(), mesh.vertices.end());
    std::vector<TriangleIndices>& added = triangles.emplace_back();
    for (const auto& [a, b, c] : mesh.triangles)
      added.push_back({first + a, first + b, first + c});
    is_closed.push_back(encloses);
  }

  [[nodiscard]] std::vector<fluid::ImmersedSolids::Surface> surfaces() const {
    std::vector<fluid::ImmersedSolids::Surface> all;
    for (std::size_t i = 0; i < triangles.size(); ++i)
      all.push_back({triangles[i], is_closed[i], true});
    return all;
  }

  [[nodiscard]] std::vector<TriangleIndices> all_triangles() const {
    std::vector<TriangleIndices> all;
    for (const auto& some : triangles)
      all.insert(all.end(), some.begin(), some.end());
    return all;
  }
};

/// A square of n x n cells of two triangles, 2 `half` [m] wide, around 0, across z.
inline geometry::TriangleMesh make_sheet(std::int32_t n, double half) {
  geometry::TriangleMesh mesh;
  for (std::int32_t j = 0; j <= n; ++j) {
    for (std::int32_t i = 0; i <= n; ++i)
      mesh.vertices.push_back(half * Vec3(2.0 * i / n - 1, 2.0 * j / n - 1, 0));
  }
  for (std::int32_t j = 0; j < n; ++j) {
    for (std::int32_t i = 0; i < n; ++i) {
      const std::int32_t a = j * (n + 1) + i, b = a + 1, c = a + n + 1, d = c + 1;
      mesh.triangles.push_back({a, b, d});
      mesh.triangles.push_back({a, d, c});
    }
  }
  return mesh;
}

/// In a box of 20 cells from 0 on: a ball with bumps; a plate at a slant, half to twice as thick as
/// a cell; and, if `with_sheet`, a sheet at a slant.
inline ImmersedSurfaces make_surfaces(unsigned seed, double cell, bool with_sheet) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> part(-1, 1);
  const auto any = [&] { return Vec3(part(random), part(random), part(random)); };
  const auto put = [&](geometry::TriangleMesh mesh, const Vec3& place) {
    const Mat3 turn = Eigen::AngleAxisd(3 * part(random), any().normalized()).toRotationMatrix();
    const Vec3 at = cell * (place + 0.5 * any());
    for (Vec3& x : mesh.vertices)
      x = turn * x + at;
    return mesh;
  };
  ImmersedSurfaces all;
  geometry::TriangleMesh ball = geometry::make_star(8, [](const Vec3& n) {
    return 3.5 + 0.7 * std::sin(3 * n.x()) * std::cos(4 * n.y() + n.z());
  });
  for (Vec3& x : ball.vertices)
    x *= cell;
  all.add(put(std::move(ball), {5.5, 5.5, 10}), true);
  const double thickness = 1.25 + 0.75 * part(random);
  const Vec3 half = cell * Vec3(3.7, 3.1, 0.5 * thickness);
  all.add(put(geometry::make_box(-half, half), {14.2, 5.5, 6}), true);
  if (with_sheet) all.add(put(make_sheet(7, 3.6 * cell), {10, 14, 13}), false);
  return all;
}

}  // namespace sluice::fluid::test
