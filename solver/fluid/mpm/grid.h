// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "solver/fluid/lattice/grid_frame.h"
#include "solver/fluid/lattice/key_index.h"
#include "solver/fluid/mpm/node_bits.h"
#include "solver/fluid/mpm/particle_blocks.h"

namespace sluice::fluid {

/// A node is (momentum, mass) while particles scatter, in [kg m/s] and [kg]; then (velocity, mass),
/// in [m/s]. A block's node (i, j, k) is at (4 i + j) 4 + k.
using NodeBlock = std::array<Float4, block_nodes>;

/// [kg] Nodes lighter than this have weights so small that their momentum is a few denormals: they
/// stand still.
inline constexpr float least_mass = 1e-30F;

/// The nodes that the kernels of one block's particles reach, z fastest, `support` nodes from each
/// of the block's own.
template <int support>
struct Tile {
  static constexpr int edge = block_edge + support - 1;
  static constexpr int node_count = edge * edge * edge;
  std::array<Float4, node_count + 1> nodes{};  ///< One more, so that any row can be read by fours.
};

/// The nodes that particles reach, by blocks of 4x4x4.
class Grid {
 public:
  /// Makes nodes for the blocks of particles and their neighbours on the positive sides, with
  /// numbers that mean nothing yet; no copies.
  void activate(const GridFrame& frame, std::span<const ParticleBlock> particle_blocks);

  [[nodiscard]] std::size_t block_count() const noexcept { return keys_.size(); }
  [[nodiscard]] std::span<const std::uint64_t> keys() const noexcept { return keys_; }
  [[nodiscard]] NodeBlock& nodes(std::size_t block) noexcept { return nodes_[block]; }

  /// The tile that a block's particles scatter to, its own so that all blocks may scatter at once.
  template <int support>
  [[nodiscard]] Tile<support>& scattered(std::size_t block) noexcept {
    return std::get<std::vector<Tile<support>>>(scattered_)[block];
  }
  template <int support>
  void make_scattered() {
    auto& tiles = std::get<std::vector<Tile<support>>>(scattered_);
    if (tiles.size() < neighbours_.size()) tiles.resize(neighbours_.size());
  }
  /// The parts that particles scatter to copies of nodes that they do not see, by entry of
  /// ParticleBlocks::copies, each of which is of one block alone.
  [[nodiscard]] std::vector<Float4>& scattered_copies() noexcept { return scattered_copies_; }
  /// Sets nodes and copies to the sums of what was scattered to them, always in the same order.
  template <int support>
  void sum_scattered(std::span<const NodeCopy> scattered_copies);

  /// Further copies of nodes, for particles that must not meet there: (momentum, mass) each, then
  /// (velocity, mass).
  [[nodiscard]] std::vector<Float4>& copies() noexcept { return copies_; }
  [[nodiscard]] const std::vector<Float4>& copies() const noexcept { return copies_; }
  /// By copy: the node that it is a copy of, 64 block + place in it.
  [[nodiscard]] std::vector<std::uint32_t>& copied_nodes() noexcept { return copied_nodes_; }
  [[nodiscard]] const std::vector<std::uint32_t>& copied_nodes() const noexcept {
    return copied_nodes_;
  }
  /// By copy: 1 if it is for particles on the far side of something thin (ThinNodes), else 0.
  [[nodiscard]] std::vector<std::uint8_t>& is_behind() noexcept { return is_behind_; }
  [[nodiscard]] const std::vector<std::uint8_t>& is_behind() const noexcept { return is_behind_; }

  /// Returns the index of the block with this key; KeyIndex::none if it is not active.
  [[nodiscard]] std::uint32_t index_of(std::uint64_t key) const noexcept {
    return index_.find(key);
  }
  /// Returns 64 times the block of the node at `place` plus its number there; KeyIndex::none if it
  /// is not active.
  [[nodiscard]] std::uint32_t node_at(const GridFrame& frame,
                                      const std::array<std::int32_t, 3>& place) const {
    if (place[0] < 0 || place[1] < 0 || place[2] < 0) return KeyIndex::none;
    const std::uint32_t block = index_of(frame.block_key(
        std::array{place[0] / block_edge, place[1] / block_edge, place[2] / block_edge}));
    if (block == KeyIndex::none) return KeyIndex::none;
    const int number =
        node_bit(place[0] % block_edge, place[1] % block_edge, place[2] % block_edge);
    return block * block_nodes + static_cast<std::uint32_t>(number);
  }
  /// The block with this key; null if it is not active.
  [[nodiscard]] NodeBlock* find(std::uint64_t key) noexcept {
    const std::uint32_t index = index_.find(key);
    return index == KeyIndex::none ? nullptr : &nodes_[index];
  }
  [[nodiscard]] const NodeBlock* find(std::uint64_t key) const noexcept {
    const std::uint32_t index = index_.find(key);
    return index == KeyIndex::none ? nullptr : &nodes_[index];
  }

  /// For each block of particles, its node block and the neighbours at +1: bit 2 of the index is x,
  /// bit 1 y, bit 0 z.
  [[nodiscard]] std::span<const std::array<std::uint32_t, 8>> neighbours() const noexcept {
    return neighbours_;
  }

 private:
  std::vector<std::uint64_t> keys_;
  std::vector<NodeBlock> nodes_;
  std::vector<std::array<std::uint32_t, 8>> neighbours_;
  std::vector<std::array<std::uint32_t, 8>> sources_;  // By block of nodes and n: the block of
                                                       // particles that has it as neighbour n.
  std::tuple<std::vector<Tile<3>>, std::vector<Tile<4>>> scattered_;  // By block of particles.
  std::vector<Float4> scattered_copies_, copies_;
  std::vector<std::uint32_t> copied_nodes_;
  std::vector<std::uint8_t> is_behind_;
  KeyIndex index_;
};

/// Copies the nodes of `grid` around particle block `block` to `tile`.
template <int support>
void load_tile(Grid& grid, std::size_t block, Tile<support>& tile);

}  // namespace sluice::fluid
