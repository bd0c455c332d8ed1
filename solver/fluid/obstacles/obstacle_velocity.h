// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/scene/scene.h"
#include "solver/types.h"

namespace sluice::fluid {

/// What an obstacle leaves of the velocity of fluid at its surface, by its wall condition. `normal`
/// is the surface's, out of the obstacle; velocities in m/s.
[[nodiscard]] Vec3f resolve(const Vec3f& velocity, const Vec3f& normal,
                            const scene::Obstacle& obstacle);

}  // namespace sluice::fluid
