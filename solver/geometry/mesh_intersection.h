// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
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

}  // namespace sluice::geometry
