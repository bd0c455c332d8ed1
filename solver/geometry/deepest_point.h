// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "solver/geometry/point_triangle.h"
#include "solver/geometry/shape.h"

namespace sluice::geometry {

/// The point of a triangle that is deepest in an analytic solid, or nearest to it.
struct DeepestPoint {
  Vec3 weights;     ///< Barycentric: each in [0, 1], sum 1.
  double distance;  ///< [m] signed, from the solid's surface
};

/// All solids here are convex, so that over a triangle their signed distance has one minimum: found
/// by golden sections within golden sections, its weights to 1e-4, its distance to 1e-4 of the
/// triangle's longest edge where the solid has an edge, and to 1e-8 of it where it is smooth. On a
/// plateau, finds one of its points. World frame, finite input; some 500 distances.
[[nodiscard]] DeepestPoint deepest_point(const Shape& shape, const Triangle& triangle) noexcept;

/// Points of a solid that meet the inside of a large triangle where it lies on the solid flatly, in
/// the world's frame: corners of a box, points on the rims of a cylinder, ends of a capsule's axis.
/// Other solids have none.
[[nodiscard]] std::vector<Vec3> support_points(const Shape& shape);

}  // namespace sluice::geometry
