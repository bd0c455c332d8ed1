// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/pressed_nodes.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>

#include "solver/fluid/lattice/key_index.h"
#include "solver/fluid/mpm/thin_nodes.h"
#include "solver/parallel/for_each_index.h"

namespace sluice::fluid {

namespace {

constexpr std::int64_t pressed_nodes_grain = 16;

}  // namespace

void PressedNodes::find(std::span<const Material> materials, const Particles& particles,
                        const ParticleBlocks& blocks, const Grid& grid,
                        const ObstacleLinks& links) {
  cells_.assign(grid.block_count(), 0);
  sides_.assign(links.inner().size(), 0);
  parallel::for_each_index(blocks.blocks.size(), pressed_nodes_grain, [&](std::size_t b) {
    const std::array<std::uint32_t, 8>& around = grid.neighbours()[b];
    if (std::ranges::none_of(around, [&](std::uint32_t n) { return links.is_near(n); })) return;
    const bool is_parted =
        std::ranges::any_of(around, [&](std::uint32_t n) { return links.thin().has(n); });
    const ParticleBlock& block = blocks.blocks[b];
    NodeBits& cells = cells_[around[0]];
    std::vector<ThinNodes::InKernel> in_kernel;
    int cell = -1;
    for (std::uint32_t o = block.first; o < block.last; ++o) {
      const std::uint32_t i = blocks.order[o];
      if (is_loose(materials[particles.materials[i]], particles.affine[i].strain)) continue;
      cells |= NodeBits{1} << blocks.cells[i];
      if (!is_parted) continue;
      // At thin nodes a cell's bit is not enough: its particles may be on both sides.
      if (blocks.cells[i] != cell) {
        cell = blocks.cells[i];
        links.thin().find_around(around, cell, support_, in_kernel);
      }
      for (const auto& [bit, thin] : in_kernel) {
        const bool is_far = thin->is_far(particles.positions[i]);
        const std::atomic_ref pressed(sides_[is_far ? thin->far_inner : thin->near_inner]);
        if (pressed.load(std::memory_order_relaxed) == 0)
          pressed.store(1, std::memory_order_relaxed);
      }
    }
  });
}

bool PressedNodes::has(std::uint32_t inner, const ObstacleLinks& links, const Grid& grid) const {
  const std::uint32_t node = links.inner()[inner].node;
  if (links.parted(node) != nullptr) return sides_[inner] != 0;
  const auto base = frame_.block_base(grid.keys()[node / block_nodes]);
  const auto local = node_of_bit(static_cast<int>(node % block_nodes));
  for (int n = 0; n < support_ * support_ * support_; ++n) {
    const std::uint32_t cell = grid.node_at(
        frame_, {base[0] + local[0] - n / (support_ * support_),
                 base[1] + local[1] - n / support_ % support_, base[2] + local[2] - n % support_});
    if (cell != KeyIndex::none && (cells_[cell / block_nodes] >> (cell % block_nodes) & 1) != 0)
      return true;
  }
  return false;
}

}  // namespace sluice::fluid
