// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/geometry/pair_distance.h"
#include "solver/types.h"

namespace sluice::contact {

/// A factor that takes the energy of two edges to 0 where they become parallel: there their nearest
/// points jump from end to end, and the gradient of their distance with them. The contact that it
/// drops is covered by the points and triangles that the edges belong to.
///
///     m = s (2 - s),  s = |u x v|^2 / range  for s < 1, else 1; u, v the edges.
///
/// Once continuously differentiable; its gradient has no resultant and no moment. [Li2020, 5.1]
struct EdgeMollifier {
  double value;
  geometry::Vec12 gradient;  ///< [1/m]
  geometry::Mat12 hessian;   ///< [1/m^2]
};

/// [m^4] The range for edges of these rest lengths: a sine of 0.03 between them. [Li2020, 5.1]
[[nodiscard]] constexpr double mollifier_range(double length, double other_length) {
  return 1e-3 * length * length * other_length * other_length;
}

/// Returns the value alone; 1 where `range` is 0.
[[nodiscard]] double edge_mollifier_value(const geometry::PairPoints& edges, double range) noexcept;
/// Returns the value with its derivatives; `range` > 0.
[[nodiscard]] EdgeMollifier edge_mollifier(const geometry::PairPoints& edges,
                                           double range) noexcept;

}  // namespace sluice::contact
