// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solver/fluid/lattice/grid_frame.h"
#include "solver/fluid/mpm/components.h"
#include "solver/fluid/mpm/grid.h"
#include "solver/fluid/mpm/line_of_sight.h"
#include "solver/fluid/mpm/node_bits.h"
#include "solver/fluid/mpm/particle_blocks.h"
#include "solver/fluid/mpm/thin_nodes.h"
#include "solver/fluid/surfaces.h"
#include "solver/types.h"

namespace sluice::fluid {

/// Keeps particles that surfaces or thin obstacles part from meeting on the grid.
///
/// At each node, particles that see a node in common (LineOfSight), directly or through others
/// there, are together. Particles with one among them that sees the node itself share the node;
/// others, behind a surface, share a copy of it. So nothing goes through a surface on the grid,
/// however thin it is and however many lie upon each other; momentum is kept as at any node; and
/// where fluid is on one side alone, or reaches around a rim, all is as without surfaces.
///
/// Likewise at each of `ThinNodes`, which is hidden from particles on the far side of something
/// thin. Theirs is a copy also where no other particle sees the node.
///
/// Copies are those of [Nairn2003], who has two velocities at each node near a crack; [Hu2018]
/// (compatible particle-in-cell) has none, and tells sides by colours. Without copies that are
/// shared, pressure next to a surface has nothing to balance it (measured: a brick sank).
class HiddenNodes {
 public:
  /// Makes the copies of nodes, and puts the particles that have any last in their blocks, with the
  /// nodes that they do not see. `positions` are those that `blocks` was made of; `grid` is active
  /// for `blocks`.
  void find(const GridFrame& frame, scene::Kernel kernel, std::span<const Vec3f> positions,
            const Surfaces& surfaces, const ThinNodes& thin, ParticleBlocks& blocks, Grid& grid);

  /// By block of nodes: the thin ones that particles on both sides share, which meet around a rim.
  [[nodiscard]] const std::vector<NodeBits>& shared() const noexcept { return shared_; }

 private:
  /// Particles of a cell that see the same nodes.
  struct Group {
    std::uint32_t block, cell;
    NodeBits hidden;           ///< The nodes that they do not see.
    NodeBits behind;           ///< The hidden nodes that are behind something thin.
    NodeBits parted;           ///< The hidden nodes that they have copies of.
    std::uint32_t first_part;  ///< Place in parts_ of the first hidden node; others follow by bit.
    std::uint32_t first_copy;  ///< Likewise in ParticleBlocks::copies, of the parted nodes.
  };

  /// A group that a node is hidden from, and what it sees around that node.
  struct Blind {
    std::uint32_t group;
    int bit;
    Neighbourhood sight;
  };
  /// The groups at a node; memory that one node after the other uses.
  struct Meeting {
    std::vector<Blind> blind;
    Components components;
    std::vector<std::uint32_t> numbers;
  };

  void find_groups(std::span<const Vec3f> positions, const Surfaces& surfaces,
                   const ParticleBlocks& blocks, const Grid& grid);
  [[nodiscard]] bool is_blocked(std::size_t block, const Grid& grid) const;
  void find_behind(std::span<const Vec3f> positions, const ParticleBlocks& blocks,
                   std::size_t block, const Grid& grid, std::vector<NodeBits>& behind) const;
  void add_groups_that_see_all(const ParticleBlocks& blocks, const Grid& grid);
  void number_groups(std::size_t block_count, const Grid& grid);
  void part_groups(const Grid& grid);
  std::uint32_t part_groups_at(std::size_t block, int place,
                               const std::array<std::uint32_t, 8>& below, Meeting& meeting);
  [[nodiscard]] bool is_same_cell(std::size_t a, std::size_t b) const;
  bool place_copies(ParticleBlocks& blocks, Grid& grid);
  void part_particles(ParticleBlocks& blocks) const;
  [[nodiscard]] std::array<std::int32_t, 3> first_node_of(const Group& group,
                                                          const ParticleBlocks& blocks) const;

  const GridFrame* frame_ = nullptr;  // Valid in find() only, as the next one.
  const ThinNodes* thin_ = nullptr;
  int support_ = 0;
  LineOfSight sight_;
  std::vector<std::vector<Group>> groups_of_block_;            // By block of particles.
  std::vector<std::vector<std::uint32_t>> group_of_particle_;  // Likewise, by place in the block.
  std::vector<Group> groups_;
  std::vector<std::uint32_t> first_group_;  // By block of particles.
  std::vector<std::uint32_t> group_at_;     // By node: the first group that starts there.
  std::vector<NodeBits> hidden_in_block_;   // By block of nodes: hidden from any group.
  std::vector<NodeBits> shared_;
  std::vector<std::uint16_t> parts_;  // 0 where the node is shared with those who see it.
  std::vector<std::uint32_t> copy_count_, first_copy_;  // By node.
};

}  // namespace sluice::fluid
