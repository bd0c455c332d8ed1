// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/contact/pairs.h"
#include "solver/geometry/pair_distance.h"
#include "solver/types.h"

/// The gap of two primitives, a point and a triangle or two edges, on the side where they started.
/// All functions take any finite input.
namespace sluice::contact {

/// The gap of a pair at the end of its motion, to first order in its four points:
/// distance(x) = normal . sum_k weights[k] x[k].
struct PairGap {
  /// For a point 1 and minus its weights in the triangle; for edges the weights of the first's
  /// ends, sum 1, and minus those of the second's. 0 exactly at points that have no part in it.
  geometry::Vec4 weights;
  double distance;  ///< [m] negative once one is through the other.
  Vec3 normal;      ///< Unit, from the second primitive to the first's starting side; 0 if none.

  /// Whether the gap is that of a point over a face, or of two edges that cross; otherwise it is
  /// that of a smaller feature, which other pairs have as well.
  [[nodiscard]] bool is_inside() const { return (weights.array() != 0).all(); }
};

/// Returns the gap of a state alone: the distance of the nearest points, and its direction.
[[nodiscard]] PairGap measure_gap(PairKind kind, const geometry::PairPoints& x) noexcept;

/// Returns the gap at t1 of a pair that starts apart at t0 and moves straight.
///
/// A pair that does not meet on the way has the gap of its state at t1. For one that does, the side
/// is the one just before the first contact, continued to t1: over a face, as the distance to the
/// plane that the triangle has at t1, if the particle is above or below the triangle there; for two
/// edges that cross then and now, along the direction across both; else (other features, far past
/// the face) linearised at the contact. [Yang2023, 3.8]
[[nodiscard]] PairGap measure_gap(PairKind kind, const geometry::PairPoints& t0,
                                  const geometry::PairPoints& t1) noexcept;

/// [m] Returns the smallest distance between the primitives of a pair; infinity without pairs.
[[nodiscard]] double smallest_gap(const PairsView& pairs, const PointsView& points);

}  // namespace sluice::contact
