// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "solver/types.h"

/// Exact answers about linear motions, in integer arithmetic on the given doubles. Slow, and the
/// last word: shares no code with solver/geometry/ccd.
namespace sluice::certificate {

/// Points that move along straight lines over t in [0, 1], finite coordinates.
template <std::size_t count>
struct Motion {
  std::array<Vec3, count> start, end;
};

/// Whether the closed triangle of points 1, 2, 3 ever contains point 0. Touching counts; triangles
/// without area are the segment or point they collapse to.
[[nodiscard]] bool point_meets_triangle(const Motion<4>& motion);

/// Whether the closed edges of points 0, 1 and 2, 3 ever share a point.
[[nodiscard]] bool edge_meets_edge(const Motion<4>& motion);

/// The same questions, for t in [0, last] only; `last` in [0, 1].
[[nodiscard]] bool point_meets_triangle_until(const Motion<4>& motion, double last);
[[nodiscard]] bool edge_meets_edge_until(const Motion<4>& motion, double last);

}  // namespace sluice::certificate
