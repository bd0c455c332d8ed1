// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/types.h"

namespace sluice::geometry {

struct Edge {
  Vec3 a, b;
};

/// A point on each of two edges, and how far they are apart.
struct NearestPoints {
  Vec3 on_first, on_second;  ///< Same frame and unit as the input.
  double first_fraction;     ///< In [0, 1]: on_first = a + first_fraction (b - a).
  double second_fraction;    ///< In [0, 1]: likewise on the second edge.
  double squared_distance;   ///< |on_first - on_second|^2, in the input unit squared.
};

/// Finds the points of two edges that are nearest to each other.
///
/// Units: any one length unit and frame for both edges; the solver passes metres, world frame.
/// Domain: every finite input. An edge without length counts as the point it collapses to. Edges
///   with a sine below 1e-8 between them count as parallel: an end of one is taken. Non-finite
///   input is a caller's bug (asserted).
/// Ties: edges beside each other that are parallel have many nearest points; one of them with an
///   end of an edge in it. `squared_distance` is the same.
/// Accuracy: `squared_distance` to 1e-14 L^2 on every pair of edges, L the largest difference of
///   coordinates; the fractions to 1e-12 over the sine between the edges squared and the part of L
///   that the shorter one is (see edge_edge_test.cpp).
/// Continuity: across the borders of the Voronoi regions, see pair_distance.h.
/// Cost: no allocation. Pure: call it from any thread.
///
/// Source: not [Ericson2005] 5.1.9, which clamps one fraction after the other and divides by a
///   difference of products that vanishes for parallel edges: here the lines offer their nearest
///   points by an orthonormal basis of their directions, and each end a point of the other edge.
[[nodiscard]] NearestPoints nearest_points(const Edge& first, const Edge& second) noexcept;

}  // namespace sluice::geometry
