// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solver/fluid/mpm/particle_blocks.h"
#include "solver/fluid/mpm/particles.h"

namespace sluice::fluid {

/// Moves the particles into `order`. `targets` serve as scratch and lose their values. Needs 40
/// bytes a particle more while it runs.
void put_in_order(std::span<const std::uint32_t> order, Particles& particles);

/// Moves the particles into the order of `blocks`, which is theirs: afterwards neighbours in space
/// are neighbours in memory. As put_in_order. Returns where each has come to be.
std::vector<std::uint32_t> reorder(ParticleBlocks& blocks, Particles& particles);

/// Takes out the particles `gone`, ascending; others fill their places. Returns where each has come
/// to be, or no_row.
std::vector<std::uint32_t> remove(std::span<const std::uint32_t> gone, Particles& particles);

}  // namespace sluice::fluid
