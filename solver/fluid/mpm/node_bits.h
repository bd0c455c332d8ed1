// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "solver/fluid/lattice/grid_frame.h"

namespace sluice::fluid {

/// A set of nodes of a kernel or a block: bit (4 i + j) 4 + k is node (i, j, k) from its first.
using NodeBits = std::uint64_t;

[[nodiscard]] constexpr int node_bit(int i, int j, int k) noexcept {
  return (i * block_edge + j) * block_edge + k;
}
[[nodiscard]] constexpr std::array<int, 3> node_of_bit(int bit) noexcept {
  return {bit / (block_edge * block_edge), bit / block_edge % block_edge, bit % block_edge};
}

/// By axis: how many bits apart neighbouring nodes are.
constexpr std::array<int, 3> bit_strides{block_edge * block_edge, block_edge, 1};

/// Returns all nodes of a kernel with `support` nodes along each axis.
[[nodiscard]] constexpr NodeBits all_nodes(int support) noexcept {
  NodeBits nodes = 0;
  for (int i = 0; i < support; ++i) {
    for (int j = 0; j < support; ++j) {
      for (int k = 0; k < support; ++k)
        nodes |= NodeBits{1} << node_bit(i, j, k);
    }
  }
  return nodes;
}

/// Returns the nodes with index `layer` along `axis`.
[[nodiscard]] constexpr NodeBits nodes_in_layer(int axis, int layer) noexcept {
  constexpr std::array<NodeBits, 3> first{0xffff, 0x000f'000f'000f'000f, 0x1111'1111'1111'1111};
  const auto a = static_cast<std::size_t>(axis);
  return first[a] << (layer * bit_strides[a]);
}

/// Calls visit(bit, node) for each node of a kernel that starts at `cell` of a block of particles:
/// its bit, and its number, 64 times its block plus its place there. `around` is that of the block
/// in Grid::neighbours.
template <typename Visit>
void for_each_node_around(const std::array<std::uint32_t, 8>& around, int cell, int support,
                          Visit&& visit) {
  const auto first = node_of_bit(cell);
  for (int i = 0; i < support; ++i) {
    for (int j = 0; j < support; ++j) {
      for (int k = 0; k < support; ++k) {
        const std::array<int, 3> at{first[0] + i, first[1] + j, first[2] + k};
        const int block = at[0] / block_edge * 4 + at[1] / block_edge * 2 + at[2] / block_edge;
        const int place = node_bit(at[0] % block_edge, at[1] % block_edge, at[2] % block_edge);
        visit(node_bit(i, j, k),
              around[static_cast<std::size_t>(block)] * std::size_t{block_nodes} +
                  static_cast<std::size_t>(place));
      }
    }
  }
}

}  // namespace sluice::fluid
