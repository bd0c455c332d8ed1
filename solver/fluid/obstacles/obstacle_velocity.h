// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/scene/scene.h"
#include "solver/types.h"

namespace sluice::fluid {

/// Returns the velocity that an obstacle's wall condition leaves to fluid at its surface. `normal`
/// is the surface's, out of the obstacle; velocities in m/s.
[[nodiscard]] Vec3f resolve(const Vec3f& velocity, const Vec3f& normal,
                            const scene::Obstacle& obstacle);

}  // namespace sluice::fluid
