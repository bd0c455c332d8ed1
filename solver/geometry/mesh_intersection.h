// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/geometry/triangle_mesh.h"

namespace sluice::geometry {

/// A triangle of one of several meshes.
struct MeshTriangle {
  std::size_t mesh, triangle;
  friend auto operator<=>(const MeshTriangle&, const MeshTriangle&) = default;
};

/// Two triangles that share a point other than common vertices or a common edge; first < second.
struct TriangleIntersection {
  MeshTriangle first, second;
  friend auto operator<=>(const TriangleIntersection&, const TriangleIntersection&) = default;
};

/// All intersections among the triangles of `meshes` (one frame), within a mesh and between meshes,
/// in ascending order. Exact (predicates.h); touching counts.
///
/// Vertices are common if they are the same index of the same mesh; equal positions are not enough.
/// Two triangles with the same three corners intersect. Triangles without area meet nothing.
/// Cost: some 100 ns a pair of triangles with overlapping boxes; in parallel.
[[nodiscard]] std::vector<TriangleIntersection> find_intersections(
    std::span<const TriangleMesh* const> meshes);

/// Limits of a search, for meshes from outside: a pile of n triangles has n^2 pairs.
struct IntersectionBudget {
  std::int64_t pair_count;   ///< Pairs with overlapping boxes that are looked at.
  std::int64_t found_count;  ///< Intersections that are kept.
};

struct IntersectionSearch {
  std::vector<TriangleIntersection> found;  ///< In ascending order; all if `complete`, else some.
  bool complete;                            ///< Whether the budget was enough.
};

/// Finds intersections as above, but gives up soon after `budget` is used up.
[[nodiscard]] IntersectionSearch find_intersections(std::span<const TriangleMesh* const> meshes,
                                                    const IntersectionBudget& budget);

}  // namespace sluice::geometry
