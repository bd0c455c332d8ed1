// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/fluid/lattice/grid_frame.h"
#include "solver/fluid/mpm/grid.h"
#include "solver/fluid/particle_fluid.h"
#include "solver/scene/scene.h"
#include "solver/types.h"

namespace sluice::fluid {

/// Returns the flow at `x` [m] in the domain, from the nodes of `grid`, which are (velocity, mass);
/// all 0 where nothing is near.
[[nodiscard]] Flow flow_of_grid(const GridFrame& frame, scene::Kernel kernel, const Grid& grid,
                                const Vec3f& x);

}  // namespace sluice::fluid
