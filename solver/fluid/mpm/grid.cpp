// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/grid.h"

#include <algorithm>
#include <type_traits>

#include "solver/parallel/parallel_for.h"

namespace sluice::fluid {

namespace {

constexpr std::int64_t blocks_at_once = 64;

std::array<std::uint64_t, 8> keys_around(const GridFrame& frame, std::uint64_t key) {
  const std::uint64_t x = frame.strides[0], y = frame.strides[1];
  return {key, key + 1, key + y, key + y + 1, key + x, key + x + 1, key + x + y, key + x + y + 1};
}

// Calls body(tile node, grid node, run) for the runs of nodes along z that stay in one block.
template <int support, typename Body>
void visit_runs(Grid& grid, std::size_t block, Body&& body) {
  constexpr std::size_t edge = Tile<support>::edge, own = block_edge;
  const std::array<std::uint32_t, 8>& around = grid.neighbours()[block];
  for (std::size_t i = 0; i < edge; ++i) {
    for (std::size_t j = 0; j < edge; ++j) {
      const std::size_t column = (i / own) * 4 + (j / own) * 2;
      const std::size_t row = ((i % own) * own + j % own) * own;
      const std::size_t tile = (i * edge + j) * edge;
      body(tile, &grid.nodes(around[column])[row], std::integral_constant<std::size_t, own>());
      body(tile + own, &grid.nodes(around[column + 1])[row],
           std::integral_constant<std::size_t, edge - own>());
    }
  }
}

}  // namespace

void Grid::activate(const GridFrame& frame, std::span<const ParticleBlock> particle_blocks) {
  keys_.clear();
  index_.clear();
  copies_.clear();
  copied_nodes_.clear();
  neighbours_.resize(particle_blocks.size());
  for (const ParticleBlock& block : particle_blocks) {
    for (const std::uint64_t key : keys_around(frame, block.key)) {
      const auto next = static_cast<std::uint32_t>(keys_.size());
      if (index_.find_or_insert(key, next) == next) keys_.push_back(key);
    }
  }
  if (nodes_.size() < keys_.size()) nodes_.resize(keys_.size());
  const auto count = static_cast<std::int64_t>(particle_blocks.size());
  parallel::parallel_for(0, count, blocks_at_once, [&](std::int64_t first, std::int64_t last) {
    for (auto b = static_cast<std::size_t>(first); b < static_cast<std::size_t>(last); ++b) {
      const auto around = keys_around(frame, particle_blocks[b].key);
      for (std::size_t n = 0; n < around.size(); ++n)
        neighbours_[b][n] = index_.find(around[n]);
    }
  });
  parallel::parallel_for(0, static_cast<std::int64_t>(keys_.size()), blocks_at_once,
                         [&](std::int64_t first, std::int64_t last) {
                           std::fill(nodes_.begin() + first, nodes_.begin() + last, NodeBlock{});
                         });
}

template <int support>
void load_tile(Grid& grid, std::size_t block, Tile<support>& tile) {
  visit_runs<support>(grid, block, [&](std::size_t at, const Float4* nodes, auto run) {
    for (std::size_t k = 0; k < run; ++k) {
      tile.nodes[at + k] = nodes[k];
    }
  });
}

template <int support>
void add_tile(Grid& grid, std::size_t block, const Tile<support>& tile) {
  visit_runs<support>(grid, block, [&](std::size_t at, Float4* nodes, auto run) {
    for (std::size_t k = 0; k < run; ++k) {
      nodes[k] += tile.nodes[at + k];
    }
  });
}

template void load_tile<3>(Grid&, std::size_t, Tile<3>&);
template void load_tile<4>(Grid&, std::size_t, Tile<4>&);
template void add_tile<3>(Grid&, std::size_t, const Tile<3>&);
template void add_tile<4>(Grid&, std::size_t, const Tile<4>&);

}  // namespace sluice::fluid
