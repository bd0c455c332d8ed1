// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "solver/types.h"
#include "solver/wrench.h"

namespace sluice::fluid {

/// A rigid body that liquid moves, and that moves liquid, in a substep.
struct ImmersedBody {
  std::span<const Vec3> vertices;  ///< [m] at the start of the substep
  /// The triangles of its closed surface, into `vertices`; counterclockwise from outside.
  std::span<const TriangleIndices> triangles;
  Vec3 centre;            ///< [m] centre of mass, at the start of the substep
  Vec3 velocity;          ///< [m/s] of the centre at the end, if there were no liquid
  Vec3 angular_velocity;  ///< [rad/s] at the end, if there were no liquid
  double inverse_mass;    ///< [1/kg] 0 for a body whose motion is prescribed
  Mat3 inverse_inertia;   ///< [1/(kg m^2)] along the world's axes; 0 for such a body
  Wrench owed{};          ///< [N s], [N m s] KeptContact::owed of the substep before
};

/// The contact data of a body that are kept from substep to substep.
struct KeptContact {
  Wrench pressing;     ///< [N], [N m] force and torque of contact
  double stopped = 0;  ///< 1 if the step filter shortened its motion
  /// [N s], [N m s] Momentum that particles lost where the body was in their way: the liquid around
  /// it gets it in the next substep, and pressure passes it on.
  Wrench owed;
};

}  // namespace sluice::fluid
