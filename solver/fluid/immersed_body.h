// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "solver/types.h"
#include "solver/wrench.h"

namespace sluice::fluid {

/// A rigid body that liquid moves, and that moves liquid, in a substep.
struct ImmersedBody {
  std::span<const Vec3> vertices;  ///< [m] at the start of the substep
  /// Of its surface into `vertices`: closed, counterclockwise from outside.
  std::span<const TriangleIndices> triangles;
  Vec3 centre;            ///< [m] of mass, at the start of the substep
  Vec3 velocity;          ///< [m/s] of the centre at the end, if there were no liquid
  Vec3 angular_velocity;  ///< [rad/s] likewise
  double inverse_mass;    ///< [1/kg] 0 for what moves as told
  Mat3 inverse_inertia;   ///< [1/(kg m^2)] along the world's axes; 0 likewise
  Wrench owed{};          ///< [N s], [N m s] as KeptContact has it
};

/// What is kept from substep to substep about what else a body meets.
struct KeptContact {
  Wrench pressing;     ///< [N], [N m] of contact
  double stopped = 0;  ///< 1 if the step filter ended its way
  /// [N s], [N m s] What particles lost where the body was in their way: the liquid around it is to
  /// get it in the next substep, and pressure to pass it on.
  Wrench owed;
};

}  // namespace sluice::fluid
