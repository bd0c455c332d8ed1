// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <limits>

#include "solver/simd/query_lanes.h"

/// Private to ccd: a direction that is worth trying. Whether it separates is for `advance` to say.
namespace sluice::geometry::ccd {

using namespace simd;

/// Returns the direction from the origin to the nearest part of a polygon: a corner, or at right
/// angles to an edge or to the face.
///
/// Nearest points of edges as in [Ericson2005, 5.1.2]; the origin is over the face where it is on
/// the inner side of all of them. Right angles are made afresh: the difference of two nearby points
/// has none to rounding error, and a direction that leans along a long edge separates nothing.
template <typename L, std::size_t count>
Vector<L> nearest_direction(const std::array<Vector<L>, count>& corners) {
  const Vector<L> normal = cross(corners[1] - corners[0], corners[count - 1] - corners[0]);
  Vector<L> nearest = corners[0], nearest_edge{0, 0, 0};
  L smallest = std::numeric_limits<double>::infinity(), edge_length_squared = 0;
  typename L::Mask is_over_face = !(smallest < 0), is_corner = is_over_face;
  for (std::size_t i = 0; i < count; ++i) {
    const Vector<L>&p = corners[i], &q = corners[(i + 1) % count];
    const Vector<L> edge = q - p;
    const L length_squared = dot(edge, edge);
    // Without length the quotient is NaN, and max makes it 0.
    const L fraction = min(max(-dot(p, edge) / length_squared, 0), 1);
    const Vector<L> point = p + fraction * edge;
    const L squared_distance = dot(point, point);
    const auto is_nearer = squared_distance < smallest;
    smallest = select(is_nearer, squared_distance, smallest);
    nearest = select(is_nearer, point, nearest);
    nearest_edge = select(is_nearer, edge, nearest_edge);
    edge_length_squared = select(is_nearer, length_squared, edge_length_squared);
    const auto is_inside = (fraction > 0) & (fraction < 1);
    is_corner = (is_nearer & !is_inside) | (is_corner & !is_nearer);
    is_over_face = is_over_face & (dot(normal, cross(p, q)) > 0);
  }
  const Vector<L> from_edge =
      nearest - dot(nearest, nearest_edge) / edge_length_squared * nearest_edge;
  const Vector<L> from_face = select(dot(normal, nearest) < 0, L(-1) * normal, normal);
  return select(is_over_face, from_face, select(is_corner, nearest, from_edge));
}

}  // namespace sluice::geometry::ccd
