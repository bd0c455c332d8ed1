// SPDX-License-Identifier: Apache-2.0
#include "client/render/cell_blocks.h"

#include <algorithm>
#include <cstddef>

namespace sluice::render {
namespace {

constexpr int largest_level = 30;  // Whatever a frame says, an edge fits an int.

}  // namespace

std::vector<CellBlock> cell_blocks(const CellLattice& lattice, std::span<const float> levels) {
  std::vector<CellBlock> blocks;
  std::size_t index = 0;
  std::array<int, 3> at{};
  for (at[2] = 0; at[2] < lattice.counts[2]; ++at[2]) {
    for (at[1] = 0; at[1] < lattice.counts[1]; ++at[1]) {
      for (at[0] = 0; at[0] < lattice.counts[0]; ++at[0]) {
        const int edge = 1 << std::clamp(static_cast<int>(levels[index++]), 0, largest_level);
        CellBlock block{at, {}};
        bool is_first = true;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          block.counts[axis] = std::min(edge, lattice.counts[axis] - at[axis]);
          is_first = is_first && at[axis] % edge == 0;
        }
        if (is_first) {
          blocks.push_back(block);
        }
      }
    }
  }
  return blocks;
}

}  // namespace sluice::render
