// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "solver/fluid/lattice/grid_frame.h"
#include "solver/fluid/lattice/key_index.h"

namespace sluice::fluid {

/// Cells around particles that contact presses on. A part of each kernel there reaches into the
/// solid that presses, so that the grid's density is too low. A cell is named by the first node of
/// the kernels of its particles.
class PressedCells {
 public:
  void clear();

  /// Adds the cell of this first node and its 26 neighbours.
  void add_around(const GridFrame& frame, Int4 first_node);

  /// Returns a block's cells, a bit each: (4 i + j) 4 + k for first node (i, j, k) of the block.
  [[nodiscard]] std::uint64_t in_block(std::uint64_t key) const noexcept {
    const std::uint32_t block = index_.find(key);
    return block == KeyIndex::none ? 0 : blocks_[block].cells;
  }

 private:
  struct Block {
    std::uint64_t cells = 0;
    std::uint64_t centers = 0;  ///< Cells given to add_around().
  };

  [[nodiscard]] Block& block_at(std::uint64_t key);

  KeyIndex index_;
  std::vector<Block> blocks_;
};

}  // namespace sluice::fluid
