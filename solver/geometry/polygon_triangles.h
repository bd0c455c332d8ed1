// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solver/result.h"
#include "solver/types.h"

namespace sluice::geometry {

/// Polygons over an array of vertices, one after the other.
struct Polygons {
  std::vector<std::int32_t> corners;  ///< Vertices of all polygons.
  std::vector<std::size_t> ends;      ///< By polygon: where its corners end in `corners`.

  /// Ends the polygon whose corners were added last.
  void close() { ends.push_back(corners.size()); }
};

struct SplitPolygons {
  std::vector<TriangleIndices> triangles;
  std::int64_t left_out_count = 0;  ///< Polygons with fewer than three different corners.
};

/// Splits polygons into triangles that turn as they do, in their order.
///
/// A polygon that a fan around its first corner covers, as every convex one, becomes that fan.
/// Others are cut by ears, the best shaped first, as seen along their mean normal [Newell1972]:
/// concave ones, those with corners on an edge, those that are not quite flat, and those whose
/// holes hang on a cut that runs there and back. Every corner stays a corner of a triangle, so that
/// neighbours still fit. A polygon that crosses itself, or has no area, is cut somehow, and its
/// faults stay for scene validation to find.
///
/// Domain: indices of finite vertices. Corners that follow themselves count once.
/// Errors: `invalid_mesh` where so many corners are in polygons that are not convex that
///   cutting them would take seconds.
/// Cost: linear for what a fan covers, else quadratic in a polygon's corners.
/// Source: ears [Meisters1975]; after a cut only both neighbours can become ears or cease to be.
[[nodiscard]] Result<SplitPolygons> split_polygons(std::span<const Vec3> vertices,
                                                   const Polygons& polygons);

}  // namespace sluice::geometry
