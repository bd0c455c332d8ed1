// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "solver/contact/points.h"
#include "solver/geometry/ccd.h"
#include "solver/types.h"

/// How far a particle, or another point, and a triangle are apart, on the side where they started.
/// All functions take any finite input.
namespace sluice::contact {

/// The gap between a particle and a triangle at the end of their motion, to first order:
/// distance(x) = normal . (x_p - w_a x_a - w_b x_b - w_c x_c).
struct PairGap {
  Vec3 normal;   ///< Unit, from the triangle to the particle's starting side; 0 if there is none.
  Vec3 weights;  ///< Of the triangle's vertices: each in [0, 1], sum 1.
  double distance;  ///< [m] negative once the particle is through.
};

/// The gap of a state alone: the distance to the nearest point of the triangle, and the way there.
/// Which of face, edge or vertex that is follows from the nearest point's weights.
[[nodiscard]] PairGap measure_gap(const Vec3& particle, const Vec3& a, const Vec3& b,
                                  const Vec3& c) noexcept;

/// The gap at t1 of a pair that starts apart at t0 and moves straight.
///
/// A pair that does not meet on the way has the gap of its state at t1. For one that does, the side
/// is the one just before the first contact, continued to t1: of a face, as the distance to the
/// plane the triangle has at t1, if the particle is above or below the triangle there; else (edges,
/// vertices, far past the face) linearised at the contact. [Yang2023, 3.8]
[[nodiscard]] PairGap measure_gap(const geometry::PointTriangleMotion& motion) noexcept;

/// [m] The smallest distance between the points of a candidate; infinity without candidates.
[[nodiscard]] double smallest_gap(std::span<const Candidate> candidates,
                                  std::span<const TriangleIndices> triangles,
                                  const PointsView& points);

}  // namespace sluice::contact
