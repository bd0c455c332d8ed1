// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "solver/contact/gap.h"
#include "solver/types.h"

/// The local step of contact for one particle and one triangle: the least motion, weighed by mass,
/// that sets a given distance. Pure; does not allocate; takes any finite input.
namespace sluice::contact {

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
