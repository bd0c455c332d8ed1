// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/grid.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "solver/parallel/parallel_for.h"

namespace sluice::fluid {

namespace {

constexpr std::int64_t grid_grain = 64;

constexpr std::array<std::uint32_t, 8> no_sources = [] {
  std::array<std::uint32_t, 8> none{};
  none.fill(KeyIndex::none);
  return none;
}();

std::array<std::uint64_t, 8> keys_around(const GridFrame& frame, std::uint64_t key) {
  const std::uint64_t x = frame.strides[0], y = frame.strides[1];
  return {key, key + 1, key + y, key + y + 1, key + x, key + x + 1, key + x + y, key + x + y + 1};
}

// Adds to the nodes of a block what is theirs of a tile of which it is the neighbour `octant`.
template <int support, std::size_t octant>
void add_part(const Tile<support>& tile, NodeBlock& nodes) {
  constexpr std::size_t edge = Tile<support>::edge, own = block_edge, halo = edge - own;
  constexpr std::size_t x = octant / 4, y = octant / 2 % 2, z = octant % 2;
  for (std::size_t i = 0; i < (x == 0 ? own : halo); ++i) {
    for (std::size_t j = 0; j < (y == 0 ? own : halo); ++j) {
      const Float4* from = &tile.nodes[((i + own * x) * edge + j + own * y) * edge + own * z];
      for (std::size_t k = 0; k < (z == 0 ? own : halo); ++k)
        nodes[(i * own + j) * own + k] += from[k];
    }
  }
}

}  // namespace

void Grid::activate(const GridFrame& frame, std::span<const ParticleBlock> particle_blocks) {
  keys_.clear();
  index_.clear();
  copies_.clear();
  copied_nodes_.clear();
  is_behind_.clear();
  neighbours_.resize(particle_blocks.size());
  for (const ParticleBlock& block : particle_blocks) {
    for (const std::uint64_t key : keys_around(frame, block.key)) {
      const auto next = static_cast<std::uint32_t>(keys_.size());
      if (index_.find_or_insert(key, next) == next) keys_.push_back(key);
    }
  }
  if (nodes_.size() < keys_.size()) nodes_.resize(keys_.size());
  sources_.assign(keys_.size(), no_sources);
  const auto count = static_cast<std::int64_t>(particle_blocks.size());
  parallel::parallel_for(0, count, grid_grain, [&](std::int64_t first, std::int64_t last) {
    for (auto b = static_cast<std::size_t>(first); b < static_cast<std::size_t>(last); ++b) {
      const auto around = keys_around(frame, particle_blocks[b].key);
      for (std::size_t n = 0; n < around.size(); ++n) {
        neighbours_[b][n] = index_.find(around[n]);
        sources_[neighbours_[b][n]][n] = static_cast<std::uint32_t>(b);
      }
    }
  });
}

template <int support>
void Grid::sum_scattered(std::span<const NodeCopy> scattered_copies) {
  const auto& tiles = std::get<std::vector<Tile<support>>>(scattered_);
  const auto count = static_cast<std::int64_t>(keys_.size());
  parallel::parallel_for(0, count, grid_grain, [&](std::int64_t first, std::int64_t last) {
    for (auto block = static_cast<std::size_t>(first); block < static_cast<std::size_t>(last);
         ++block) {
      NodeBlock sum{};
      [&]<std::size_t... octant>(std::index_sequence<octant...>) {
        const auto add = [&]<std::size_t n>(std::integral_constant<std::size_t, n>) {
          const std::uint32_t source = sources_[block][n];
          if (source != KeyIndex::none) add_part<support, n>(tiles[source], sum);
        };
        (add(std::integral_constant<std::size_t, octant>()), ...);
      }(std::make_index_sequence<8>());
      nodes_[block] = sum;
    }
  });
  for (std::size_t n = 0; n < scattered_copies.size(); ++n)
    copies_[scattered_copies[n].index] += scattered_copies_[n];
}

template <int support>
void load_tile(Grid& grid, std::size_t block, Tile<support>& tile) {
  constexpr std::size_t edge = Tile<support>::edge, own = block_edge;
  const std::array<std::uint32_t, 8>& around = grid.neighbours()[block];
  for (std::size_t i = 0; i < edge; ++i) {
    for (std::size_t j = 0; j < edge; ++j) {
      const std::size_t column = (i / own) * 4 + (j / own) * 2;
      const std::size_t row = ((i % own) * own + j % own) * own;
      Float4* to = &tile.nodes[(i * edge + j) * edge];
      const Float4* near = &grid.nodes(around[column])[row];
      const Float4* far = &grid.nodes(around[column + 1])[row];
      for (std::size_t k = 0; k < own; ++k)
        to[k] = near[k];
      for (std::size_t k = own; k < edge; ++k)
        to[k] = far[k - own];
    }
  }
}

template void Grid::sum_scattered<3>(std::span<const NodeCopy>);
template void Grid::sum_scattered<4>(std::span<const NodeCopy>);
template void load_tile<3>(Grid&, std::size_t, Tile<3>&);
template void load_tile<4>(Grid&, std::size_t, Tile<4>&);

}  // namespace sluice::fluid
