// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/fluid/mpm/grid.h"
#include "solver/fluid/mpm/transfers.h"
#include "solver/fluid/particles/emitters.h"
#include "solver/fluid/particles/particles.h"
#include "solver/scene/scene.h"

namespace sluice::fluid {

/// After a gather: lets the particles in an emitter press aside the fluid that is already there.
///
/// Particles that emitters carry do not feel the pressure that their crowd would have, and are gone
/// from the shape before the density's slow feedback (material.h) has told them. Here their volume
/// ratio follows the density that `grid` has, within some substeps. An emitter presses with no more
/// than the weight of a domain full of its liquid and twice its own dynamic pressure; where that
/// does not suffice, the particles that it owes have no room (Emitters::set_room).
void press_emitted(const Substep& step, scene::Kernel kernel, const Grid& grid, Emitters& emitters,
                   Particles& particles);

}  // namespace sluice::fluid
