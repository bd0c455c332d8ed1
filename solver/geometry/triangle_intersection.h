// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/geometry/point_triangle.h"
#include "solver/types.h"

/// Exact answers (predicates.h) about closed triangles in one common frame. Touching counts.
/// Triangles must have area: one without meets nothing here; scene validation refuses it by itself.
namespace sluice::geometry {

[[nodiscard]] bool segment_meets_triangle(const Vec3& p, const Vec3& q, const Triangle& triangle);

[[nodiscard]] bool triangles_intersect(const Triangle& one, const Triangle& other);

/// For triangles with the common corner a == a: whether they share any other point.
[[nodiscard]] bool triangles_intersect_beyond_corner(const Triangle& one, const Triangle& other);

/// For triangles with the common edge a == a, b == b: whether they share any other point, which is
/// whether one is folded flat onto the other.
[[nodiscard]] bool triangles_intersect_beyond_edge(const Triangle& one, const Triangle& other);

/// Whether the corners are exactly on one line.
[[nodiscard]] bool is_without_area(const Triangle& triangle);

}  // namespace sluice::geometry
