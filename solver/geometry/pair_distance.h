// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "solver/types.h"

/// The distance of a point from a triangle, or of an edge from an edge, with derivatives by all
/// twelve coordinates.
///
/// The vector between two points of the primitives is r = sum_i c_i x_i with c = (1, -w_a, -w_b,
/// -w_c) for a point and barycentric weights, or c = (1 - s, s, t - 1, -t) for fractions along two
/// edges. The distance is the least |r| over c, and where that is decides the Voronoi region: in a
/// corner both points are corners of their primitives (point-point), on a side one may slide
/// (point-edge), inside there are two ways to slide.
namespace sluice::geometry {

using Vec4 = Eigen::Vector4d;
using Vec12 = Eigen::Matrix<double, 12, 1>;  ///< Coordinates of four points, point by point.
using Mat12 = Eigen::Matrix<double, 12, 12>;

/// The Kronecker product of a vector over four points and one over axes: a_i b for point i.
[[nodiscard]] inline Vec12 kronecker(const Vec4& a, const Vec3& b) noexcept {
  Vec12 product;
  for (Eigen::Index i = 0; i < 4; ++i)
    product.segment<3>(3 * i) = a[i] * b;
  return product;
}

/// A point p and a triangle abc as (p, a, b, c), or edges ab and cd as (a, b, c, d).
using PairPoints = std::array<Vec3, 4>;

/// The nearest points of a pair, and how they slide.
struct PairDistance {
  double squared;     ///< |r|^2
  Vec3 offset;        ///< r, from the second primitive to the first.
  Vec4 coefficients;  ///< c; sums to 0, and is exactly 0 at points that have no part in it.
  int freedom;        ///< m: 0 point-point, 1 point-edge, 2 point-face or edge-edge.
  /// The first m of these are orthonormal directions e_k, across r, in which r may change by
  /// sliding.
  std::array<Vec3, 2> directions;
  /// Along e_k, c changes by g_k: sum_i (g_k)_i x_i = e_k, sum 0. [1/m]
  std::array<Vec4, 2> slopes;
};

/// Units: any one length unit and frame for all points.
/// Domain: every finite input. Triangles without area and edges without length count as the
///   segments or points they collapse to. A triangle lower than 1e-8 of its longest side counts as
///   its sides, and edges with a sine below 1e-8 between them as parallel, nearest at an end: both
///   change `squared` by less than 1e-15 L^2.
/// Ties: parallel edges that lie beside each other have many nearest points; one of them is taken,
///   with an end of an edge in it. `squared` is the same for all.
/// Accuracy: `squared` to 1e-14 L^2, L the largest difference of coordinates
///   (pair_distance_test.cpp).
/// Continuity: `squared`, and r and c where the nearest points are unique, are continuous across
///   the borders of regions, to rounding: which region it is, is decided by the sign of how far a
///   point would slide, not by comparing distances, which hide a way of 1e-8 in their rounding.
/// Cost: no allocation; some 150 ns. Pure: call it from any thread.
[[nodiscard]] PairDistance point_triangle_distance(const PairPoints& points) noexcept;
[[nodiscard]] PairDistance edge_edge_distance(const PairPoints& points) noexcept;

/// The gradient of `squared`, 2 c_i r for point i: sliding adds nothing, as |r|^2 is least. Exact
/// also on the borders of regions. Sums to 0 over the points, and so do its moments.
[[nodiscard]] Vec12 squared_distance_gradient(const PairDistance& distance) noexcept;

/// The Hessian of `squared` in its region (it jumps at borders):
///     2 (c c^T x I - sum_k (c x e_k + g_k x r) (c x e_k + g_k x r)^T),
/// with x the Kronecker product (c c^T x I has the blocks c_i c_j I): by the implicit function
/// theorem, as what slides is at a minimum.
[[nodiscard]] Mat12 squared_distance_hessian(const PairDistance& distance) noexcept;

}  // namespace sluice::geometry
