// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/particle_blocks.h"

#include <algorithm>
#include <cstddef>

#include "solver/fluid/mpm/kernel.h"
#include "solver/fluid/mpm/key_index.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::fluid {

namespace {

// Chunks of the counting sort: enough for many cores, few enough that their counts are small beside
// the particles.
constexpr std::int64_t max_chunks = 64;
constexpr std::int64_t min_grain = 16384;

// How many particles of a chunk are in which block, and later where they go.
struct ChunkCounts {
  KeyIndex index;
  std::vector<std::uint64_t> keys;
  std::vector<std::uint32_t> counts;
};

template <typename Spline>
std::uint64_t key_of(const GridFrame& frame, const Vec3f& position) {
  return frame.block_key(frame.base<Spline>(frame.from_world(load4(position.data()))));
}

// Counts a chunk's particles by block; slots[i]: which of the chunk's blocks has particle i.
template <typename Spline>
void count_chunk(const GridFrame& frame, std::span<const Vec3f> positions, std::size_t first,
                 std::size_t last, std::span<std::uint32_t> slots, ChunkCounts& chunk) {
  chunk.index.clear();
  chunk.keys.clear();
  chunk.counts.clear();
  std::uint64_t last_key =
      ~std::uint64_t{0};  // Neighbours in order are mostly neighbours in space.
  std::uint32_t slot = 0;
  for (std::size_t i = first; i < last; ++i) {
    const std::uint64_t key = key_of<Spline>(frame, positions[i]);
    if (key != last_key) {
      last_key = key;
      slot = chunk.index.find_or_insert(key, static_cast<std::uint32_t>(chunk.keys.size()));
      if (slot == chunk.keys.size()) {
        chunk.keys.push_back(key);
        chunk.counts.push_back(0);
      }
    }
    slots[i] = slot;
    ++chunk.counts[slot];
  }
}

// All blocks of all chunks, by key, with their particle ranges; turns the chunks' counts into first
// places in `order`.
void merge_chunks(std::span<ChunkCounts> chunks, std::vector<ParticleBlock>& blocks) {
  std::vector<std::uint64_t> keys;
  for (const ChunkCounts& chunk : chunks) {
    keys.insert(keys.end(), chunk.keys.begin(), chunk.keys.end());
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  KeyIndex index;
  blocks.clear();
  for (const std::uint64_t key : keys) {
    index.find_or_insert(key, static_cast<std::uint32_t>(blocks.size()));
    blocks.push_back({key, 0, 0});
  }
  for (const ChunkCounts& chunk : chunks) {
    for (std::size_t s = 0; s < chunk.keys.size(); ++s) {
      blocks[index.find(chunk.keys[s])].last += chunk.counts[s];
    }
  }
  std::uint32_t next = 0;
  std::vector<std::uint32_t> places(blocks.size());
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    blocks[b].first = places[b] = next;
    next += blocks[b].last;
    blocks[b].last = next;
  }
  for (ChunkCounts& chunk : chunks) {
    for (std::size_t s = 0; s < chunk.keys.size(); ++s) {
      std::uint32_t& place = places[index.find(chunk.keys[s])];
      const std::uint32_t chunk_first = place;
      place += chunk.counts[s];
      chunk.counts[s] = chunk_first;
    }
  }
}

template <typename Spline>
void assign(const GridFrame& frame, std::span<const Vec3f> positions, std::size_t count,
            ParticleBlocks& result) {
  const auto n = static_cast<std::int64_t>(count);
  const std::int64_t grain = std::max(min_grain, (n + max_chunks - 1) / max_chunks);
  std::vector<ChunkCounts> chunks(static_cast<std::size_t>(parallel::chunk_count(0, n, grain)));
  std::vector<std::uint32_t> slots(count);
  parallel::parallel_for(0, n, grain, [&](std::int64_t first, std::int64_t last) {
    count_chunk<Spline>(frame, positions, static_cast<std::size_t>(first),
                        static_cast<std::size_t>(last), slots,
                        chunks[static_cast<std::size_t>(first / grain)]);
  });
  merge_chunks(chunks, result.blocks);
  result.order.resize(count);
  parallel::parallel_for(0, n, grain, [&](std::int64_t first, std::int64_t last) {
    std::vector<std::uint32_t>& places = chunks[static_cast<std::size_t>(first / grain)].counts;
    for (std::int64_t i = first; i < last; ++i) {
      result.order[places[slots[static_cast<std::size_t>(i)]]++] = static_cast<std::uint32_t>(i);
    }
  });
}

}  // namespace

void assign_blocks(const GridFrame& frame, scene::Kernel kernel, std::span<const Vec3f> positions,
                   std::size_t count, ParticleBlocks& result) {
  if (kernel == scene::Kernel::quadratic) {
    assign<BSpline<scene::Kernel::quadratic>>(frame, positions, count, result);
  } else {
    assign<BSpline<scene::Kernel::cubic>>(frame, positions, count, result);
  }
  for (std::vector<std::uint32_t>& list : result.by_parity)
    list.clear();
  for (std::size_t b = 0; b < result.blocks.size(); ++b) {
    const auto base = frame.block_base(result.blocks[b].key);
    const int parity =
        (base[0] / block_edge % 2) * 4 + (base[1] / block_edge % 2) * 2 + base[2] / block_edge % 2;
    result.by_parity[static_cast<std::size_t>(parity)].push_back(static_cast<std::uint32_t>(b));
  }
}

}  // namespace sluice::fluid
