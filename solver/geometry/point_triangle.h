// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/types.h"

namespace sluice::geometry {

struct Triangle {
  Vec3 a, b, c;
};

/// A point on a triangle, and how far it is from the query that found it.
struct NearestPoint {
  Vec3 position;            ///< Same frame and unit as the input.
  Vec3 weights;             ///< Barycentric: each in [0, 1], sum 1, position = w0 a + w1 b + w2 c.
  double squared_distance;  ///< |query - position|^2, in the input unit squared.
};

/// Finds the point of `triangle` nearest to `query`.
///
/// Units: any one length unit and frame for all four points; the solver passes metres, world frame.
/// Domain: every finite input. A triangle without area counts as the segment or point it collapses
///   to, so contact code needs no case for slivers. Non-finite input is a caller's bug (asserted).
/// Ties: where several points are equally near, any of them; `squared_distance` is the same.
/// Accuracy: `squared_distance` to 4e-15 L^2 on every triangle, L the largest coordinate given;
///   `position` to 1e-14 L, on slivers only to 1e-10 L (see point_triangle_accuracy_test.cpp).
/// Cost: no allocation, no square root, six divisions. Pure: call it from any thread.
///
/// Source: [Ericson2005] segments 5.1.2, face weights 3.4. Not his 5.1.5, which divides 0 by 0 when
///   a == b: here each edge and the face offer a point *of the triangle*, and the nearest wins.
[[nodiscard]] NearestPoint nearest_point(const Triangle& triangle, const Vec3& query) noexcept;

}  // namespace sluice::geometry
