// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "solver/scene/scene.h"
#include "solver/types.h"

namespace sluice::fluid {

/// The particles of a scene at time 0, in the order of their ids.
struct Seeds {
  std::vector<Vec3f> positions;      ///< [m]
  std::vector<std::int64_t> counts;  ///< by fluid
};

/// Points of the lattice domain_lower + cell_size/particles_per_axis (i + 1/2, j + 1/2, k + 1/2), i
/// slowest, that a region holds, fluid by fluid; see MpmFluid.
[[nodiscard]] Seeds seed_particles(const scene::Scene& scene);

/// The size of that, in little memory; limit + 1 as soon as there are more than `limit`.
[[nodiscard]] std::int64_t count_particles(const scene::Scene& scene, std::int64_t limit);

}  // namespace sluice::fluid
