// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/grid.h"

#include <algorithm>

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
  constexpr int edge = Tile<support>::edge;
  const std::array<std::uint32_t, 8>& around = grid.neighbours()[block];
  for (int i = 0; i < edge; ++i) {
    for (int j = 0; j < edge; ++j) {
      const int column = (i / block_edge) * 4 + (j / block_edge) * 2;
      const int row = ((i % block_edge) * block_edge + j % block_edge) * block_edge;
      const int tile = (i * edge + j) * edge;
      NodeBlock& near = grid.nodes(around[static_cast<std::size_t>(column)]);
      NodeBlock& far = grid.nodes(around[static_cast<std::size_t>(column + 1)]);
      body(tile, &near[static_cast<std::size_t>(row)], std::integral_constant<int, block_edge>());
      body(tile + block_edge, &far[static_cast<std::size_t>(row)],
           std::integral_constant<int, edge - block_edge>());
    }
  }
}

}  // namespace

void Grid::activate(const GridFrame& frame, std::span<const ParticleBlock> particle_blocks) {
  keys_.clear();
  index_.clear();
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
  visit_runs<support>(grid, block, [&](int at, const Float4* nodes, auto run) {
    for (int k = 0; k < run; ++k)
      tile.nodes[static_cast<std::size_t>(at + k)] = nodes[k];
  });
}

template <int support>
void add_tile(Grid& grid, std::size_t block, const Tile<support>& tile) {
  visit_runs<support>(grid, block, [&](int at, Float4* nodes, auto run) {
    for (int k = 0; k < run; ++k)
      nodes[k] += tile.nodes[static_cast<std::size_t>(at + k)];
  });
}

template void load_tile<3>(Grid&, std::size_t, Tile<3>&);
template void load_tile<4>(Grid&, std::size_t, Tile<4>&);
template void add_tile<3>(Grid&, std::size_t, const Tile<3>&);
template void add_tile<4>(Grid&, std::size_t, const Tile<4>&);

}  // namespace sluice::fluid
