// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/fluid/lattice/grid_frame.h"
#include "solver/fluid/particles/particles.h"
#include "solver/types.h"

namespace sluice::fluid {

/// The particles whose kernel starts in one block of 4x4x4 nodes. Their kernels reach into this
/// block and its neighbours on the positive sides, never further.
struct ParticleBlock {
  std::uint64_t key;          ///< GridFrame::block_key
  std::uint32_t first, last;  ///< Range of ParticleBlocks::order.
  std::uint32_t
      sighted_last;  ///< Before it, particles see all nodes of their kernels: hidden_nodes.h.
};

/// The nodes of which a particle has copies: hidden_nodes.h.
struct Sight {
  std::uint64_t hidden;      ///< Bit (4 i + j) 4 + k is node (i, j, k), counted from the first.
  std::uint16_t cell;        ///< Where the kernel starts in its block: (4 i + j) 4 + k.
  bool is_beside_sheet;      ///< Whether a sheet hides some of them, and not something thin alone.
  std::uint32_t first_copy;  ///< Place in ParticleBlocks::copies of its first one; by bit.
};

/// The stand-in for a hidden node: a copy of it (Grid::copies), or a copy's image in walls.
struct NodeCopy {
  std::uint32_t index;
  std::uint32_t mirrors;  ///< The walls that the node is the image in: Unmirrored.
};

/// The particles of each block. A function of the positions in their order alone: blocks by key,
/// particles of a block by the cell where their kernels start, those of a cell by index.
struct ParticleBlocks {
  std::vector<ParticleBlock> blocks;
  std::vector<std::uint32_t> order;  ///< Particles, grouped by block.
  std::vector<Sight> sights;  ///< By place in `order`, where a particle does not see all nodes.
  std::vector<NodeCopy> copies;

  std::vector<std::uint16_t> slots;  ///< Scratch of assign_blocks, kept for the memory.
  std::vector<std::uint8_t> cells;   ///< By particle, where in its block its kernel starts.
};

/// Fills `result` for positions[0 .. count); positions has one more element (see Particles). Reuses
/// its memory. All particles see all nodes.
void assign_blocks(const GridFrame& frame, scene::Kernel kernel, std::span<const Vec3f> positions,
                   std::size_t count, ParticleBlocks& result);

/// Moves the particles into the order of `blocks`, which is theirs: afterwards neighbours in space
/// are neighbours in memory. `targets` serve as scratch and lose their values. Returns where each
/// particle now is.
std::vector<std::uint32_t> reorder(ParticleBlocks& blocks, Particles& particles);

}  // namespace sluice::fluid
