// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/geometry/pair_distance.h"

namespace sluice::contact {

/// An energy U of the gap between two primitives, and its derivatives by the gap.
struct GapEnergy {
  double value = 0;      ///< [J] U, may be +infinity
  double slope = 0;      ///< [N] U', <= 0: minus the force that pushes apart
  double curvature = 0;  ///< [N/m] U'', >= 0
};

/// Derivatives of U(|r| - thickness) by the coordinates of the pair's points, where |r| > 0. If |r|
/// is 0 the distance has no derivatives, and all of these are 0.
///
/// With n = r / |r|, and the c, e_k, g_k of PairDistance, x the Kronecker product:
///     gradient  U' c x n
///     Hessian   U'' (c x n) (c x n)^T + U' (Hessian of |r|^2 / 2 - (c x n) (c x n)^T) / |r|
[[nodiscard]] geometry::Vec12 gap_gradient(const geometry::PairDistance& distance,
                                           const GapEnergy& energy) noexcept;
[[nodiscard]] geometry::Mat12 gap_hessian(const geometry::PairDistance& distance,
                                          const GapEnergy& energy) noexcept;

/// Returns the Hessian with its negative eigenvalues set to 0.
///
/// It is block diagonal in a known orthonormal basis: the directions across r and all e_k have the
/// eigenvalue U' |c|^2 / |r| <= 0; the rest is a matrix of rank 2 m + 1 at most over the c x e_k
/// and over n times all that c and the g_k span. Only that, of 1, 3 or 5 rows, is decomposed.
[[nodiscard]] geometry::Mat12 projected_gap_hessian(const geometry::PairDistance& distance,
                                                    const GapEnergy& energy) noexcept;

}  // namespace sluice::contact
