// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/winding.h"

#include <algorithm>
#include <atomic>
#include <limits>

#include "solver/geometry/point_triangle.h"
#include "solver/geometry/predicates.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::geometry {
namespace {

using Vec2 = Eigen::Vector2d;

Vec2 along_x(const Vec3& p) { return {p.y(), p.z()}; }

// Whether a, b, p + (e, e^2) turn left (1) or right (-1), for e > 0 as small as need be; 0 only if
// a == b. The determinant is linear in p with the gradient (a_y - b_y, b_x - a_x).
int turn(const Vec2& a, const Vec2& b, const Vec2& p) {
  if (const int exact = orientation(a, b, p); exact != 0) return exact;
  if (a.y() != b.y()) return a.y() > b.y() ? 1 : -1;
  if (a.x() != b.x()) return b.x() > a.x() ? 1 : -1;
  return 0;
}

// 1 if the line along x through p, pushed aside, leaves through the triangle's front, -1 if it
// enters, 0 if it misses.
int crossing(const Triangle& t, const Vec2& p) {
  const Vec2 a = along_x(t.a), b = along_x(t.b), c = along_x(t.c);
  const int ab = turn(a, b, p);
  if (ab == 0 || turn(b, c, p) != ab || turn(c, a, p) != ab) return 0;
  return ab;
}

// The points of one column, which differ in x alone.
struct Column {
  const BccLattice& lattice;
  LatticePoint first;  // x = 0 or 1
  std::int32_t count;

  [[nodiscard]] Vec3 position(std::int32_t i) const {
    return lattice.position({first[0] + 2 * i, first[1], first[2]});
  }
};

// How many points of the column come before its crossing with the triangle.
std::int32_t points_before(const Triangle& t, int direction, const Column& column) {
  std::int32_t low = 0, high = column.count;
  while (low < high) {
    const std::int32_t middle = low + (high - low) / 2;
    const bool is_before = orientation(t.a, t.b, t.c, column.position(middle)) * direction > 0;
    (is_before ? low : high) = is_before ? middle + 1 : middle;
  }
  return low;
}

}  // namespace

std::optional<std::vector<std::uint8_t>> enclosed_points(const TriangleMesh& surface,
                                                         const SparseGrid& triangles,
                                                         const BccLattice& lattice) {
  std::vector<std::uint8_t> is_inside(static_cast<std::size_t>(lattice.point_count()), 0);
  std::atomic<bool> is_simple = true;
  const auto at = [&](std::int32_t i) { return surface.vertices[static_cast<std::size_t>(i)]; };
  for (const std::int32_t kind : {0, 1}) {  // Corners, then centres.
    const std::int32_t count_x = lattice.cell_counts[0] + 1 - kind;
    const std::int32_t count_y = lattice.cell_counts[1] + 1 - kind;
    const std::int32_t count_z = lattice.cell_counts[2] + 1 - kind;
    constexpr std::int64_t grain = 16;
    const std::int64_t column_count = std::int64_t{count_y} * count_z;
    parallel::parallel_for(0, column_count, grain, [&](std::int64_t begin, std::int64_t end) {
      std::vector<std::int32_t> change(static_cast<std::size_t>(count_x) + 1);
      for (std::int64_t c = begin; c < end; ++c) {
        const Column column{lattice,
                            {kind, kind + 2 * static_cast<std::int32_t>(c % count_y),
                             kind + 2 * static_cast<std::int32_t>(c / count_y)},
                            count_x};
        const Vec3 start = column.position(0);
        std::fill(change.begin(), change.end(), 0);
        triangles.for_each_overlap(
            {{-infinity, start.y(), start.z()}, {infinity, start.y(), start.z()}},
            [&](std::int32_t index) {
              const TriangleIndices& corners = surface.triangles[static_cast<std::size_t>(index)];
              const Triangle t{at(corners[0]), at(corners[1]), at(corners[2])};
              const int direction = crossing(t, along_x(start));
              if (direction == 0) return;
              change[0] += direction;
              change[static_cast<std::size_t>(points_before(t, direction, column))] -= direction;
            });
        std::int32_t winding_number = 0;
        const auto first = static_cast<std::size_t>(lattice.index(column.first));
        for (std::size_t i = 0; i < static_cast<std::size_t>(count_x); ++i) {
          winding_number += change[i];
          is_inside[first + i] = winding_number == 1 ? 1 : 0;
          if (winding_number != 0 && winding_number != 1) is_simple = false;
        }
      }
    });
  }
  if (!is_simple) return std::nullopt;
  return is_inside;
}

std::int32_t winding_number(const TriangleMesh& surface, const SparseGrid& triangles,
                            const Vec3& point) {
  const auto at = [&](std::int32_t i) { return surface.vertices[static_cast<std::size_t>(i)]; };
  std::int32_t sum = 0;
  triangles.for_each_overlap({point, {infinity, point.y(), point.z()}}, [&](std::int32_t index) {
    const TriangleIndices& corners = surface.triangles[static_cast<std::size_t>(index)];
    const Triangle t{at(corners[0]), at(corners[1]), at(corners[2])};
    const int direction = crossing(t, along_x(point));
    if (direction != 0 && orientation(t.a, t.b, t.c, point) * direction > 0) sum += direction;
  });
  return sum;
}

SparseGrid triangle_boxes(const TriangleMesh& surface) {
  std::vector<Bounds> boxes;
  boxes.reserve(surface.triangles.size());
  for (const TriangleIndices& triangle : surface.triangles) {
    const auto corner = [&](std::size_t k) {
      return surface.vertices[static_cast<std::size_t>(triangle[k])];
    };
    boxes.push_back({corner(0).cwiseMin(corner(1)).cwiseMin(corner(2)),
                     corner(0).cwiseMax(corner(1)).cwiseMax(corner(2))});
  }
  SparseGrid grid;
  grid.build(boxes, {});
  return grid;
}

}  // namespace sluice::geometry
