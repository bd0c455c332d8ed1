// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "solver/fluid/mpm/node_bits.h"
#include "solver/types.h"

namespace sluice::fluid {

/// The two sides of something thin at a node in it or behind it, as planes: the set of x [m] with
/// normal . x = level.
struct ThinNode {
  struct Side {
    Vec3f normal;  ///< Out of the obstacle.
    float level;   ///< [m]
    [[nodiscard]] float height_of(const Vec3f& x) const { return normal.dot(x) - level; }
  };
  Side near;  ///< The side that the node is on, or nearest to.
  Side far;
  std::uint32_t near_inner;  ///< In ObstacleLinks::inner(): what the node moves by on that side.
  std::uint32_t far_inner;   ///< Likewise on the far side.

  [[nodiscard]] bool is_far(const Vec3f& x) const { return far.height_of(x) > near.height_of(x); }
};

/// The nodes in or behind obstacles that are so thin that kernels reach through: particles on the
/// two sides must not meet there.
class ThinNodes {
 public:
  /// Forgets all of them, for a grid of so many blocks.
  void clear(std::size_t block_count) {
    tables_.assign(block_count, none);
    numbers_.clear();
    nodes_.clear();
  }
  /// Adds a node, by 64 times its block plus its number there.
  void add(std::size_t node, const ThinNode& thin) {
    std::uint32_t& table = tables_[node / block_nodes];
    if (table == none) {
      table = static_cast<std::uint32_t>(numbers_.size());
      numbers_.emplace_back().fill(none);
    }
    numbers_[table][node % block_nodes] = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back(thin);
  }

  [[nodiscard]] bool empty() const noexcept { return nodes_.empty(); }
  /// Whether any node of a block is one.
  [[nodiscard]] bool has(std::size_t block) const noexcept {
    return !empty() && tables_[block] != none;
  }
  /// Null if the node is none.
  [[nodiscard]] const ThinNode* find(std::size_t node) const noexcept {
    if (!has(node / block_nodes)) return nullptr;
    const std::uint32_t number = numbers_[tables_[node / block_nodes]][node % block_nodes];
    return number == none ? nullptr : &nodes_[number];
  }

  /// A node of a kernel, by its bit.
  struct InKernel {
    int bit;
    const ThinNode* thin;
  };
  /// Sets `found` to those of the kernel that starts at `cell` of a block of particles; `around` is
  /// the block's in Grid::neighbours.
  void find_around(const std::array<std::uint32_t, 8>& around, int cell, int support,
                   std::vector<InKernel>& found) const {
    found.clear();
    for_each_node_around(around, cell, support, [&](int bit, std::size_t node) {
      const ThinNode* thin = find(node);
      if (thin != nullptr) found.push_back({bit, thin});
    });
  }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  std::vector<std::uint32_t> tables_;  // By block: its place in numbers_.
  std::vector<std::array<std::uint32_t, block_nodes>> numbers_;
  std::vector<ThinNode> nodes_;
};

}  // namespace sluice::fluid
