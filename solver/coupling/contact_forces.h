// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace sluice::coupling {

/// [N] Magnitudes of the forces by which contact acted in a substep; 0 out of contact.
///
/// For a particle: the force of the surfaces that it touches. For a vertex: the force of particles,
/// other solids, obstacles and the domain's sides, of which a pinned one feels only the first two.
/// Friction is included; the step filter's effect is not.
struct ContactForces {
  std::vector<float> particles;  ///< By row: ParticleFluid::rows.
  std::vector<float> vertices;   ///< By vertex, all solids in order.
};

}  // namespace sluice::coupling
