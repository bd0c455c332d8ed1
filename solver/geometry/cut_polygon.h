// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "solver/types.h"

namespace sluice::geometry {

/// The rest of a triangle after up to six cuts, each of which adds at most one corner.
struct ConvexPolygon {
  std::array<Vec3, 10> corners;
  std::size_t count = 0;

  void add(const Vec3& corner) { corners[count++] = corner; }
};

struct Extent {
  double least, most;
};

/// Returns the extent along `axis` of a polygon that has a corner.
[[nodiscard]] inline Extent extent_of(const ConvexPolygon& polygon, int axis) {
  Extent extent{polygon.corners[0][axis], polygon.corners[0][axis]};
  for (std::size_t i = 1; i < polygon.count; ++i) {
    extent.least = std::min(extent.least, polygon.corners[i][axis]);
    extent.most = std::max(extent.most, polygon.corners[i][axis]);
  }
  return extent;
}

/// Cuts off the part below `bound` and returns it; the part above stays. Corners keep their order.
/// Corners in the bound belong to both.
inline ConvexPolygon cut_off(int axis, double bound, ConvexPolygon& polygon) {
  ConvexPolygon below, above;
  for (std::size_t i = 0; i < polygon.count; ++i) {
    const Vec3& a = polygon.corners[i];
    const Vec3& b = polygon.corners[i + 1 < polygon.count ? i + 1 : 0];
    if (a[axis] <= bound) below.add(a);
    if (a[axis] >= bound) above.add(a);
    if ((a[axis] < bound && b[axis] > bound) || (a[axis] > bound && b[axis] < bound)) {
      Vec3 between = a + (bound - a[axis]) / (b[axis] - a[axis]) * (b - a);
      between[axis] = bound;
      below.add(between);
      above.add(between);
    }
  }
  polygon = above;
  return below;
}

/// Calls visit(cell, polygon) for the parts of a polygon in each of `count` slices [cell, cell + 1]
/// across an axis, and for the part beyond the last one with cell = count. The part before the
/// first is left out.
template <typename Visit>
void slice(ConvexPolygon polygon, int axis, std::int32_t count, const Visit& visit) {
  const Extent extent = extent_of(polygon, axis);
  if (extent.most <= 0) return;
  if (extent.least < 0) cut_off(axis, 0, polygon);
  auto cell = static_cast<std::int32_t>(std::clamp(extent.least, 0.0, static_cast<double>(count)));
  for (; cell < count && extent.most > cell + 1; ++cell)
    visit(cell, cut_off(axis, cell + 1, polygon));
  visit(cell, polygon);
}

}  // namespace sluice::geometry
