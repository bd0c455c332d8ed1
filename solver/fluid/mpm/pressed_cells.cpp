// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/pressed_cells.h"

namespace sluice::fluid {

namespace {

std::uint64_t bit_of(Int4 node) {
  const auto within = [&](int axis) { return static_cast<unsigned>(node[axis] % block_edge); };
  return std::uint64_t{1} << ((within(0) * block_edge + within(1)) * block_edge + within(2));
}

}  // namespace

void PressedCells::clear() {
  index_.clear();
  blocks_.clear();
}

PressedCells::Block& PressedCells::block_at(std::uint64_t key) {
  const std::uint32_t block =
      index_.find_or_insert(key, static_cast<std::uint32_t>(blocks_.size()));
  if (block == blocks_.size()) blocks_.emplace_back();
  return blocks_[block];
}

void PressedCells::add_around(const GridFrame& frame, Int4 first_node) {
  Block& center = block_at(frame.block_key(first_node));
  const std::uint64_t bit = bit_of(first_node);
  if ((center.centers & bit) != 0) return;  // Most are: four particles a cell of surface.
  center.centers |= bit;
  for (int i = -1; i <= 1; ++i) {
    for (int j = -1; j <= 1; ++j) {
      for (int k = -1; k <= 1; ++k) {
        const Int4 node = first_node + Int4{i, j, k, 0};
        if (node[0] < 0 || node[1] < 0 || node[2] < 0) continue;
        block_at(frame.block_key(node)).cells |= bit_of(node);
      }
    }
  }
}

}  // namespace sluice::fluid
