// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/fluid/lattice/grid_frame.h"
#include "solver/fluid/lattice/key_index.h"
#include "solver/fluid/mpm/node_bits.h"
#include "solver/fluid/mpm/particle_blocks.h"
#include "solver/fluid/surfaces.h"
#include "solver/types.h"

namespace sluice::fluid {

/// Finds which nodes of its kernel each particle sees: those with no surface on the straight line
/// to them. Never too many: where rounding could decide, a node is not seen. A node that lies on a
/// surface is on one side of it, the same for all.
///
/// A node behind a wall of the domain is seen if the node that it is the image of is seen.
class LineOfSight {
 public:
  /// Finds which triangles are near the particles of each block.
  void look_around(const GridFrame& frame, scene::Kernel kernel, const Surfaces& surfaces,
                   const ParticleBlocks& blocks);

  /// Whether any triangle may hide nodes from a block's particles.
  [[nodiscard]] bool is_blocked(std::size_t block) const noexcept {
    return first_[block] != first_[block + 1];
  }

  /// Sets hidden[n] to the nodes that the block's n-th particle in order does not see. `frame`,
  /// `surfaces` and `blocks` are those of look_around, `positions` what `blocks` was made of.
  void find_hidden(const GridFrame& frame, std::span<const Vec3f> positions,
                   const Surfaces& surfaces, const ParticleBlocks& blocks, std::size_t block,
                   std::vector<NodeBits>& hidden) const;

 private:
  /// A triangle that may hide nodes from a block's particles.
  struct Nearby {
    std::uint32_t block, triangle;
  };

  int support_ = 0;
  KeyIndex block_index_;
  std::vector<Nearby> nearby_;
  std::vector<std::uint32_t> first_;      ///< By block: its part of triangles_.
  std::vector<std::uint32_t> triangles_;  ///< Ascending for each block.
};

}  // namespace sluice::fluid
