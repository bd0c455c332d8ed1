// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/hidden_nodes.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>

#include "solver/fluid/mpm/kernel.h"
#include "solver/fluid/mpm/wall_images.h"
#include "solver/parallel/for_each_index.h"

namespace sluice::fluid {

namespace {

constexpr std::int64_t hidden_nodes_grain = 4;

constexpr std::uint32_t none = KeyIndex::none;

// Calls visit(bit) for each of `nodes`, from the lowest.
template <typename Visit>
void for_each_bit(NodeBits nodes, Visit&& visit) {
  for (; nodes != 0; nodes &= nodes - 1)
    visit(std::countr_zero(nodes));
}

// The how-many-th of `nodes` a bit of them is.
std::uint32_t rank_in(NodeBits nodes, int bit) {
  return static_cast<std::uint32_t>(std::popcount(nodes & ((NodeBits{1} << bit) - 1)));
}

using Node = std::array<std::int32_t, 3>;

Node operator+(const Node& a, const std::array<int, 3>& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}

// The number, as in Grid::neighbours, of the neighbour of a block that is off along the axes whose
// flags are set; 0 is the block itself.
std::size_t octant(bool x, bool y, bool z) { return (x ? 4U : 0U) + (y ? 2U : 0U) + (z ? 1U : 0U); }

// Which of the blocks around a block's particles a node is in, and where in it.
struct PlaceAround {
  std::size_t block;
  int node;
};
PlaceAround place_around(const Node& block_base, const Node& node) {
  const std::array<int, 3> off{node[0] - block_base[0], node[1] - block_base[1],
                               node[2] - block_base[2]};
  return {octant(off[0] >= block_edge, off[1] >= block_edge, off[2] >= block_edge),
          node_bit(off[0] % block_edge, off[1] % block_edge, off[2] % block_edge)};
}

// The same as an index of all nodes.
std::size_t node_around(const Grid& grid, std::size_t block, const Node& block_base,
                        const Node& node) {
  const auto [around, place] = place_around(block_base, node);
  return grid.neighbours()[block][around] * std::size_t{block_nodes} +
         static_cast<std::size_t>(place);
}

}  // namespace

void HiddenNodes::find(const GridFrame& frame, scene::Kernel kernel,
                       std::span<const Vec3f> positions, const Surfaces& surfaces,
                       const ThinNodes& thin, ParticleBlocks& blocks, Grid& grid) {
  shared_.assign(grid.block_count(), 0);
  if (surfaces.triangles.empty() && thin.empty()) return;
  frame_ = &frame;
  thin_ = &thin;
  support_ = kernel == scene::Kernel::quadratic ? BSpline<scene::Kernel::quadratic>::support
                                                : BSpline<scene::Kernel::cubic>::support;
  sight_.look_around(frame, kernel, surfaces, blocks);
  find_groups(positions, surfaces, blocks, grid);
  if (std::ranges::all_of(hidden_in_block_, [](NodeBits nodes) { return nodes == 0; })) return;
  add_groups_that_see_all(blocks, grid);
  number_groups(blocks.blocks.size(), grid);
  part_groups(grid);
  if (place_copies(blocks, grid)) part_particles(blocks);
}

// Whether any node may be hidden from a block's particles.
bool HiddenNodes::is_blocked(std::size_t block, const Grid& grid) const {
  return sight_.is_blocked(block) ||
         (!thin_->empty() && std::ranges::any_of(grid.neighbours()[block],
                                                 [&](std::uint32_t n) { return thin_->has(n); }));
}

// Sets behind[n] to the nodes that something thin hides from the block's n-th particle. A node
// behind a wall of the domain is hidden if the node that it is the image of is.
void HiddenNodes::find_behind(std::span<const Vec3f> positions, const ParticleBlocks& blocks,
                              std::size_t block, const Grid& grid,
                              std::vector<NodeBits>& behind) const {
  const ParticleBlock& particles = blocks.blocks[block];
  behind.assign(particles.last - particles.first, 0);
  const Node base = frame_->block_base(particles.key);
  std::vector<ThinNodes::InKernel> around;
  int cell = -1;
  for (std::size_t n = 0; n < behind.size(); ++n) {
    const std::uint32_t i = blocks.order[particles.first + n];
    if (blocks.cells[i] != cell) {
      cell = blocks.cells[i];
      thin_->find_around(grid.neighbours()[block], cell, support_, around);
    }
    NodeBits nodes = 0;
    for (const auto& [bit, thin] : around) {
      if (thin->is_far(positions[i])) nodes |= NodeBits{1} << bit;
    }
    // In two dimensions the nodes beside the plane are as those in it.
    if (frame_->is_flat) {
      const NodeBits plane = nodes & nodes_in_layer(1, 1);
      nodes = plane | plane << bit_strides[1] | plane >> bit_strides[1];
      if (support_ == block_edge) nodes |= plane << 2 * bit_strides[1];
    }
    if (nodes != 0) behind[n] = with_images(*frame_, support_, base + node_of_bit(cell), nodes);
  }
}

void HiddenNodes::find_groups(std::span<const Vec3f> positions, const Surfaces& surfaces,
                              const ParticleBlocks& blocks, const Grid& grid) {
  const std::size_t count = blocks.blocks.size();
  if (groups_of_block_.size() < count) {
    groups_of_block_.resize(count);
    group_of_particle_.resize(count);
  }
  hidden_in_block_.assign(grid.block_count(), 0);
  parallel::for_each_index(count, hidden_nodes_grain, [&](std::size_t b) {
    std::vector<Group>& groups = groups_of_block_[b];
    std::vector<std::uint32_t>& group_of = group_of_particle_[b];
    groups.clear();
    group_of.clear();
    if (!is_blocked(b, grid)) return;
    std::vector<NodeBits> hidden, behind;
    find_behind(positions, blocks, b, grid, behind);
    if (sight_.is_blocked(b)) {
      sight_.find_hidden(*frame_, positions, surfaces, blocks, b, hidden);
    } else {
      hidden.assign(behind.size(), 0);
    }
    std::uint32_t first_of_cell = 0;
    for (std::size_t n = 0; n < hidden.size(); ++n) {
      const std::uint32_t cell = blocks.cells[blocks.order[blocks.blocks[b].first + n]];
      if (groups.empty() || groups.back().cell != cell)
        first_of_cell = static_cast<std::uint32_t>(groups.size());
      hidden[n] |= behind[n];
      std::uint32_t g = first_of_cell;
      while (g < groups.size() && (groups[g].hidden != hidden[n] || groups[g].behind != behind[n]))
        ++g;
      if (g == groups.size())
        groups.push_back({static_cast<std::uint32_t>(b), cell, hidden[n], behind[n], 0, 0, 0});
      group_of.push_back(g);
    }
    std::array<NodeBits, 8> hidden_around{};
    const Node base = frame_->block_base(blocks.blocks[b].key);
    for (const Group& group : groups) {
      for_each_bit(group.hidden, [&](int bit) {
        const Node node = base + node_of_bit(static_cast<int>(group.cell)) + node_of_bit(bit);
        if (unmirrored(*frame_, node).node != node) return;
        const auto [block, place] = place_around(base, node);
        hidden_around[block] |= NodeBits{1} << place;
      });
    }
    for (std::size_t n = 0; n < hidden_around.size(); ++n) {
      if (hidden_around[n] == 0) continue;
      std::atomic_ref(hidden_in_block_[grid.neighbours()[b][n]])
          .fetch_or(hidden_around[n], std::memory_order_relaxed);
    }
  });
}

// Adds the groups of blocks whose particles see all of their nodes, but reach nodes that are hidden
// from others.
void HiddenNodes::add_groups_that_see_all(const ParticleBlocks& blocks, const Grid& grid) {
  parallel::for_each_index(blocks.blocks.size(), hidden_nodes_grain, [&](std::size_t b) {
    if (is_blocked(b, grid)) return;
    const bool reaches_hidden = std::ranges::any_of(
        grid.neighbours()[b], [&](std::uint32_t n) { return hidden_in_block_[n] != 0; });
    if (!reaches_hidden) return;
    std::vector<Group>& groups = groups_of_block_[b];
    for (std::uint32_t o = blocks.blocks[b].first; o < blocks.blocks[b].last; ++o) {
      const std::uint32_t cell = blocks.cells[blocks.order[o]];
      if (groups.empty() || groups.back().cell != cell)
        groups.push_back({static_cast<std::uint32_t>(b), cell, 0, 0, 0, 0, 0});
    }
  });
}

void HiddenNodes::number_groups(std::size_t block_count, const Grid& grid) {
  groups_.clear();
  first_group_.assign(1, 0);
  group_at_.assign(grid.block_count() * block_nodes, none);
  std::uint32_t part_count = 0;
  for (std::size_t b = 0; b < block_count; ++b) {
    for (Group& group : groups_of_block_[b]) {
      group.first_part = part_count;
      part_count += static_cast<std::uint32_t>(std::popcount(group.hidden));
      std::uint32_t& first = group_at_[grid.neighbours()[b][0] * block_nodes + group.cell];
      if (first == none) first = static_cast<std::uint32_t>(groups_.size());
      groups_.push_back(group);
    }
    first_group_.push_back(static_cast<std::uint32_t>(groups_.size()));
  }
  parts_.assign(part_count, 0);
}

void HiddenNodes::part_groups(const Grid& grid) {
  copy_count_.assign(grid.block_count() * block_nodes, 0);
  parallel::for_each_index(grid.block_count(), hidden_nodes_grain, [&](std::size_t block) {
    if (hidden_in_block_[block] == 0) return;
    const Node base = frame_->block_base(grid.keys()[block]);
    std::array<std::uint32_t, 8> below{};
    for (std::size_t n = 0; n < below.size(); ++n) {
      Node first = base;
      for (std::size_t a = 0; a < 3; ++a)
        first[a] -= (n >> (2 - a) & 1) != 0 ? block_edge : 0;
      const bool is_there = first[0] >= 0 && first[1] >= 0 && first[2] >= 0;
      below[n] =
          is_there ? grid.index_of(frame_->block_key(Int4{first[0], first[1], first[2], 0})) : none;
    }
    Meeting meeting;
    for_each_bit(hidden_in_block_[block], [&](int bit) {
      copy_count_[block * block_nodes + static_cast<std::size_t>(bit)] =
          part_groups_at(block, bit, below, meeting);
    });
  });
}

std::uint32_t HiddenNodes::part_groups_at(std::size_t block_of_node, int place,
                                          const std::array<std::uint32_t, 8>& below,
                                          Meeting& meeting) {
  const auto node = node_of_bit(place);
  Neighbourhood seen_by_seers;
  // A thin node is that of its near side, whether anybody is there or not.
  bool is_seen =
      thin_->find(block_of_node * block_nodes + static_cast<std::size_t>(place)) != nullptr;
  meeting.blind.clear();
  const NodeBits all = all_nodes(support_);
  for_each_bit(all, [&](int bit) {
    const auto within = node_of_bit(bit);
    const Node first{node[0] - within[0], node[1] - within[1], node[2] - within[2]};
    const std::uint32_t block = below[octant(first[0] < 0, first[1] < 0, first[2] < 0)];
    if (block == none) return;
    const int cell =
        node_bit((first[0] + block_edge) % block_edge, (first[1] + block_edge) % block_edge,
                 (first[2] + block_edge) % block_edge);
    const std::uint32_t first_group =
        group_at_[block * std::size_t{block_nodes} + static_cast<std::size_t>(cell)];
    for (std::size_t g = first_group; g < groups_.size() && is_same_cell(g, first_group); ++g) {
      const Group& group = groups_[g];
      const Neighbourhood sight(all & ~group.hidden, within);
      if ((group.hidden >> bit & 1) == 0) {
        is_seen = true;
        seen_by_seers.add(sight);
      } else {
        meeting.blind.push_back({static_cast<std::uint32_t>(g), bit, sight});
      }
    }
  });
  // Groups that see the node are together. Where none does, the first ones behind have it.
  meeting.components.clear();
  if (is_seen) meeting.components.add(seen_by_seers);
  for (const Blind& blind : meeting.blind)
    meeting.components.add(blind.sight);
  const std::uint32_t count = meeting.components.number(meeting.numbers);
  for (std::size_t n = 0; n < meeting.blind.size(); ++n) {
    const auto& [g, bit, sight] = meeting.blind[n];
    const std::uint32_t number = meeting.numbers[n + (is_seen ? 1 : 0)];
    Group& group = groups_[g];
    if (number == 0) {
      if ((group.behind >> bit & 1) != 0) shared_[block_of_node] |= NodeBits{1} << place;
      continue;
    }
    parts_[group.first_part + rank_in(group.hidden, bit)] = static_cast<std::uint16_t>(number);
    std::atomic_ref(group.parted).fetch_or(NodeBits{1} << bit, std::memory_order_relaxed);
  }
  return count - 1;
}

bool HiddenNodes::is_same_cell(std::size_t a, std::size_t b) const {
  return groups_[a].block == groups_[b].block && groups_[a].cell == groups_[b].cell;
}

// Returns whether there are any.
bool HiddenNodes::place_copies(ParticleBlocks& blocks, Grid& grid) {
  first_copy_.resize(copy_count_.size());
  std::vector<std::uint32_t>& nodes = grid.copied_nodes();
  for (std::size_t block = 0; block < grid.block_count(); ++block) {
    for_each_bit(hidden_in_block_[block], [&](int bit) {
      const std::size_t node = block * block_nodes + static_cast<std::size_t>(bit);
      first_copy_[node] = static_cast<std::uint32_t>(nodes.size());
      nodes.insert(nodes.end(), copy_count_[node], static_cast<std::uint32_t>(node));
    });
  }
  if (nodes.empty()) return false;
  grid.copies().assign(nodes.size(), Float4{});
  grid.is_behind().assign(nodes.size(), 0);
  std::uint32_t count = 0;
  for (Group& group : groups_) {
    if (group.parted == 0) continue;
    const Node first = first_node_of(group, blocks);
    group.parted = with_images(*frame_, support_, first, group.parted);
    group.first_copy = count;
    count += static_cast<std::uint32_t>(std::popcount(group.parted));
  }
  blocks.copies.resize(count);
  grid.scattered_copies().assign(count, Float4{});
  parallel::for_each_index(blocks.blocks.size(), hidden_nodes_grain, [&](std::size_t b) {
    const Node base = frame_->block_base(blocks.blocks[b].key);
    for (std::size_t g = first_group_[b]; g < first_group_[b + 1]; ++g) {
      const Group& group = groups_[g];
      const Node first = first_node_of(group, blocks);
      NodeCopy* copy = blocks.copies.data() + group.first_copy;
      for_each_bit(group.parted, [&](int bit) {
        const auto [node, mirrors] = unmirrored(*frame_, first + node_of_bit(bit));
        const int own = node_bit(node[0] - first[0], node[1] - first[1], node[2] - first[2]);
        const std::uint32_t part = parts_[group.first_part + rank_in(group.hidden, own)];
        const std::uint32_t index = first_copy_[node_around(grid, b, base, node)] + part - 1;
        *copy++ = {index, mirrors};
        if ((group.behind >> own & 1) != 0)
          std::atomic_ref(grid.is_behind()[index]).store(1, std::memory_order_relaxed);
      });
    }
  });
  return true;
}

void HiddenNodes::part_particles(ParticleBlocks& blocks) const {
  blocks.sights.resize(blocks.order.size());
  parallel::for_each_index(blocks.blocks.size(), hidden_nodes_grain, [&](std::size_t b) {
    const std::span<const Group> groups(groups_.data() + first_group_[b],
                                        first_group_[b + 1] - first_group_[b]);
    if (std::ranges::all_of(groups, [](const Group& group) { return group.parted == 0; })) return;
    ParticleBlock& block = blocks.blocks[b];
    const std::vector<std::uint32_t> before(blocks.order.begin() + block.first,
                                            blocks.order.begin() + block.last);
    std::uint32_t place = block.first;
    for (std::size_t n = 0; n < before.size(); ++n) {
      if (groups[group_of_particle_[b][n]].parted == 0) blocks.order[place++] = before[n];
    }
    block.sighted_last = place;
    for (std::size_t n = 0; n < before.size(); ++n) {
      const Group& group = groups[group_of_particle_[b][n]];
      if (group.parted == 0) continue;
      blocks.order[place] = before[n];
      blocks.sights[place++] = {.hidden = group.parted,
                                .cell = static_cast<std::uint16_t>(group.cell),
                                .is_beside_sheet = (group.hidden & ~group.behind) != 0,
                                .first_copy = group.first_copy};
    }
  });
}

std::array<std::int32_t, 3> HiddenNodes::first_node_of(const Group& group,
                                                       const ParticleBlocks& blocks) const {
  return frame_->block_base(blocks.blocks[group.block].key) +
         node_of_bit(static_cast<int>(group.cell));
}

}  // namespace sluice::fluid
