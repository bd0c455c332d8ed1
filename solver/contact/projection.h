// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "solver/geometry/ccd.h"
#include "solver/types.h"

/// The local step of contact for one particle and one triangle: how far are they apart on the side
/// where they started, and what is the least motion, weighed by mass, that sets a given distance?
///
/// All functions are pure, do not allocate and take any finite input.
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

/// One value for each of the four points of a pair.
struct PairValues {
  double particle;
  Vec3 vertices;
};

struct PairShifts {
  Vec3 particle = Vec3::Zero();  ///< [m]
  std::array<Vec3, 3> vertices{Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
};

/// The displacement dx_i = lambda m_i^-1 grad_i distance that makes distance equal `target`; zero
/// if it is that already or more, if no point can move, or if the gap has no normal.
///
/// `inverse_masses` in [1/kg], 0 for a point that is held. `shares` >= 1 says in how many contacts
/// at once each point is: its mass is split among them, as [Tonge2012], so that all the
/// displacements of a point can be added without overshoot. With shares of 1 the target is met.
/// Conserves linear momentum, sum m_i dx_i = 0, to rounding; and angular momentum, as normal is
/// parallel to the line from the triangle's point to the particle, in the state that was measured.
/// Deviates from [Yang2023, 3.9], which projects in the plain norm and conserves neither.
[[nodiscard]] PairShifts project(const PairGap& gap, double target,
                                 const PairValues& inverse_masses,
                                 const PairValues& shares) noexcept;

}  // namespace sluice::contact
