// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace sluice::coupling {

/// [N] Magnitude of the force by which contact acted in a substep; 0 out of contact.
///
/// Of a particle: what the surfaces it touches push it with. Of a vertex: what particles, obstacles
/// and the domain's sides push it with; a held vertex feels particles alone. Friction is included.
/// What the step filter takes away is not in it.
struct ContactForces {
  std::vector<float> particles;  ///< By stable id.
  std::vector<float> vertices;   ///< All solids in order.
};

}  // namespace sluice::coupling
