// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace sluice::coupling {

/// [N] Magnitude of the force by which contact acted in a substep; 0 out of contact.
///
/// Of a particle: what the surfaces it touches push it with (the sum of its multipliers along their
/// normals). Of a vertex: what particles, obstacles and the domain's sides push it with, friction
/// included; a held vertex feels particles alone. What the step filter takes away is not in it.
struct ContactForces {
  std::vector<float> particles;  ///< By stable id.
  std::vector<float> vertices;   ///< All solids in order.
};

}  // namespace sluice::coupling
