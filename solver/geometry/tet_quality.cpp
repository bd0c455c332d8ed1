// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/tet_quality.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numbers>

#include "solver/parallel/parallel_reduce.h"

namespace sluice::geometry {
namespace {

TetQuality worse(const TetQuality& a, const TetQuality& b) {
  return {std::min(a.smallest_dihedral, b.smallest_dihedral),
          std::max(a.largest_dihedral, b.largest_dihedral),
          std::min(a.radius_ratio, b.radius_ratio)};
}

}  // namespace

TetQuality quality(const Tetrahedron& tet) noexcept {
  const std::array<Vec3, 4> x{tet.a, tet.b, tet.c, tet.d};
  const double six_volumes = (x[1] - x[0]).cross(x[2] - x[0]).dot(x[3] - x[0]);

  // Edge and the two other corners, so that (edge start, edge end, left, right) is an even
  // permutation of (a, b, c, d).
  constexpr std::array<std::array<std::size_t, 4>, 6> edges{
      {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 2, 0, 3}, {1, 3, 2, 0}, {2, 3, 0, 1}}};
  double smallest = std::numbers::pi, largest = -std::numbers::pi;
  for (const auto& [start, end, left, right] : edges) {
    // n_left and n_right are normals of the faces at the edge; |n_left x n_right| = |edge| 6 V.
    const Vec3 edge = x[end] - x[start];
    const Vec3 n_left = edge.cross(x[left] - x[start]);
    const Vec3 n_right = edge.cross(x[right] - x[start]);
    const double dihedral = std::atan2(edge.norm() * six_volumes, n_left.dot(n_right));
    smallest = std::min(smallest, dihedral);
    largest = std::max(largest, dihedral);
  }

  // r = 3 V / S. R = |m| / (12 |V|), m the vector below; both from the circumsphere through a.
  const Vec3 p = x[1] - x[0], q = x[2] - x[0], r = x[3] - x[0];
  const Vec3 m =
      p.squaredNorm() * q.cross(r) + q.squaredNorm() * r.cross(p) + r.squaredNorm() * p.cross(q);
  const double twice_surface =
      p.cross(q).norm() + q.cross(r).norm() + r.cross(p).norm() + (q - p).cross(r - p).norm();
  const double scale = twice_surface * m.norm();
  const double ratio = scale > 0 ? 6 * six_volumes * std::abs(six_volumes) / scale : 0;
  return {smallest, largest, ratio};
}

TetQuality worst_quality(const TetMesh& mesh) {
  assert(!mesh.tets.empty());
  constexpr std::int64_t grain = 512;
  const auto of = [&](std::int64_t i) {
    return quality(corners_of(mesh, mesh.tets[static_cast<std::size_t>(i)]));
  };
  return parallel::parallel_reduce(
      0, static_cast<std::int64_t>(mesh.tets.size()), grain, of(0),
      [&](std::int64_t first, std::int64_t last) {
        TetQuality worst = of(first);
        for (std::int64_t i = first + 1; i < last; ++i)
          worst = worse(worst, of(i));
        return worst;
      },
      worse);
}

}  // namespace sluice::geometry
