// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/fluid/mpm/particle_blocks.h"
#include "solver/fluid/mpm/particles.h"

namespace sluice::fluid {

/// Moves the particles into the order of `blocks`, which is theirs: afterwards neighbours in space
/// are neighbours in memory. `targets` serve as scratch and lose their values. Needs 40 bytes a
/// particle more while it runs.
void reorder(ParticleBlocks& blocks, Particles& particles);

}  // namespace sluice::fluid
