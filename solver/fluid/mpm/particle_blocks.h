// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/fluid/mpm/grid_frame.h"
#include "solver/types.h"

namespace sluice::fluid {

/// The particles whose kernel starts in one block of 4x4x4 nodes. Their kernels reach into this
/// block and its neighbours on the positive sides, never further.
struct ParticleBlock {
  std::uint64_t key;          ///< GridFrame::block_key
  std::uint32_t first, last;  ///< Range of ParticleBlocks::order.
};

/// Which particle is in which block. A function of the positions in their order alone: blocks by
/// key, particles of a block by the cell where their kernels start, those of a cell by index.
struct ParticleBlocks {
  std::vector<ParticleBlock> blocks;
  std::vector<std::uint32_t> order;  ///< Particles, grouped by block.
  std::array<std::vector<std::uint32_t>, 8>
      by_parity;  ///< Blocks whose coordinates have the same parities: their
                  ///< kernels never meet, so they may scatter at once.

  std::vector<std::uint32_t> slots;  ///< assign_blocks' own, kept for the memory.
  std::vector<std::uint8_t> cells;   ///< The same.
};

/// Fills `result` for positions[0 .. count); positions has one more element (see Particles). Reuses
/// its memory.
void assign_blocks(const GridFrame& frame, scene::Kernel kernel, std::span<const Vec3f> positions,
                   std::size_t count, ParticleBlocks& result);

}  // namespace sluice::fluid
