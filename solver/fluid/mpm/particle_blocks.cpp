// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/particle_blocks.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "solver/fluid/lattice/key_index.h"
#include "solver/fluid/mpm/kernel.h"
#include "solver/fluid/particles/particle_order.h"
#include "solver/parallel/parallel_for.h"
#include "solver/simd/particle_lanes.h"

namespace sluice::fluid {

using namespace simd;

namespace {

// Chunks of the counting sort: enough for many cores, few enough that their counts are small beside
// the particles; and few enough particles each that 16 bits number their blocks.
constexpr std::int64_t max_chunks = 64;
constexpr std::int64_t min_grain = 16384, max_grain = 65536;
constexpr std::int64_t particle_blocks_grain = 16;

constexpr int width = 8;  // Particles whose place is found at once.
using Bytes8 = std::uint8_t __attribute__((vector_size(width)));

// How many particles of a chunk are in which block, and later where they go.
struct ChunkCounts {
  KeyIndex index;
  std::vector<std::uint64_t> keys;
  std::vector<std::uint32_t> counts;
};

// Which block, and which cell of it: of `width` particles.
struct Places {
  Int8 blocks[3];
  Int8 cells;

  [[nodiscard]] std::array<std::int32_t, 3> block(std::size_t n) const {
    return {blocks[0][n], blocks[1][n], blocks[2][n]};
  }
  [[nodiscard]] bool all_in(const std::array<std::int32_t, 3>& block) const {
    const Int8 same = (blocks[0] == block[0]) & (blocks[1] == block[1]) & (blocks[2] == block[2]);
    std::array<std::int64_t, 4> halves;
    static_assert(sizeof halves == sizeof same);
    std::memcpy(halves.data(), &same, sizeof same);
    return (halves[0] & halves[1] & halves[2] & halves[3]) == -1;
  }
};

// The places of `count` particles; beyond, those of the last one.
template <typename Spline>
Places places_of(const GridFrame& frame, const Vec3f* positions, std::size_t count) {
  Float8 x[4];
  const auto last = static_cast<int>(count) - 1;
  load_columns<width>([&](int n) { return positions[std::min(n, last)].data(); }, x);
  Places places;
  places.cells = Int8{};
  for (int axis = 0; axis < 3; ++axis) {
    const Float8 X = (x[axis] - frame.origin[axis]) * frame.inverse_cell[axis];
    const Int8 free = Spline::template base<Int8>(X);  // Kept in the table: GridFrame::base.
    const Int8 at_least = free > 0 ? free : Int8{};
    const Int8 base = at_least < frame.max_base[axis] ? at_least : frame.max_base[axis] + Int8{};
    places.blocks[axis] = base / block_edge;
    places.cells = places.cells * block_edge + base % block_edge;
  }
  return places;
}

// Counts a chunk's particles by block; slots[i]: which of the chunk's blocks has particle i;
// cells[i]: which cell of it.
template <typename Spline>
void count_chunk(const GridFrame& frame, std::span<const Vec3f> positions, std::size_t first,
                 std::size_t last, std::span<std::uint16_t> slots, std::span<std::uint8_t> cells,
                 ChunkCounts& chunk) {
  chunk.index.clear();
  chunk.keys.clear();
  chunk.counts.clear();
  // Neighbours in order are mostly neighbours in space: the block of the last one, and how many
  // after it were there too.
  std::array<std::int32_t, 3> block{-1, -1, -1};
  std::uint32_t slot = 0, run = 0;
  const auto end_run = [&] {
    if (run > 0) chunk.counts[slot] += run;
    run = 0;
  };
  const auto begin_run = [&](const std::array<std::int32_t, 3>& in) {
    block = in;
    slot = chunk.index.find_or_insert(frame.block_key(in),
                                      static_cast<std::uint32_t>(chunk.keys.size()));
    if (slot < chunk.keys.size()) return;
    chunk.keys.push_back(frame.block_key(in));
    chunk.counts.push_back(0);
  };
  for (std::size_t i = first; i < last; i += width) {
    const std::size_t count = std::min<std::size_t>(width, last - i);
    const Places places = places_of<Spline>(frame, &positions[i], count);
    if (count == width && places.all_in(block)) {
      std::fill_n(&slots[i], width, static_cast<std::uint16_t>(slot));
      const auto narrow = __builtin_convertvector(places.cells, Bytes8);
      std::memcpy(&cells[i], &narrow, width);
      run += width;
      continue;
    }
    for (std::size_t n = 0; n < count; ++n) {
      if (places.block(n) != block) {
        end_run();
        begin_run(places.block(n));
      }
      slots[i + n] = static_cast<std::uint16_t>(slot);
      cells[i + n] = static_cast<std::uint8_t>(places.cells[n]);
      ++run;
    }
  }
  end_run();
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
    blocks.push_back({key, 0, 0, 0});
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
    blocks[b].last = blocks[b].sighted_last = next;
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

// A block's particles as they were, and their cells.
struct Unsorted {
  std::vector<std::uint32_t> order;
  std::vector<std::uint8_t> cells;
};

// Puts a block's part of `order` in the order of cells; within a cell, as it was.
void sort_by_cell(std::span<const std::uint8_t> cells, std::span<std::uint32_t> order,
                  Unsorted& before) {
  std::array<std::uint32_t, block_nodes + 1> places{};
  before.order.assign(order.begin(), order.end());
  before.cells.resize(order.size());
  for (std::size_t n = 0; n < order.size(); ++n) {
    before.cells[n] = cells[order[n]];
    ++places[before.cells[n] + 1U];
  }
  std::partial_sum(places.begin(), places.end(), places.begin());
  for (std::size_t n = 0; n < order.size(); ++n)
    order[places[before.cells[n]]++] = before.order[n];
}

template <typename Spline>
void assign(const GridFrame& frame, std::span<const Vec3f> positions, std::size_t count,
            ParticleBlocks& result) {
  const auto n = static_cast<std::int64_t>(count);
  const std::int64_t grain = std::clamp((n + max_chunks - 1) / max_chunks, min_grain, max_grain);
  std::vector<ChunkCounts> chunks(static_cast<std::size_t>(parallel::chunk_count(0, n, grain)));
  std::vector<std::uint16_t>& slots = result.slots;
  std::vector<std::uint8_t>& cells = result.cells;
  slots.resize(count);
  cells.resize(count);
  parallel::parallel_for(0, n, grain, [&](std::int64_t first, std::int64_t last) {
    count_chunk<Spline>(frame, positions, static_cast<std::size_t>(first),
                        static_cast<std::size_t>(last), slots, cells,
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
  parallel::parallel_for(
      0, static_cast<std::int64_t>(result.blocks.size()), particle_blocks_grain,
      [&](std::int64_t first, std::int64_t last) {
        Unsorted before;
        for (auto b = static_cast<std::size_t>(first); b < static_cast<std::size_t>(last); ++b) {
          const ParticleBlock& block = result.blocks[b];
          sort_by_cell(cells,
                       std::span(result.order).subspan(block.first, block.last - block.first),
                       before);
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
  result.copies.clear();
}

std::vector<std::uint32_t> reorder(ParticleBlocks& blocks, Particles& particles) {
  put_in_order(blocks.order, particles);
  put_in_order(blocks.order, blocks.cells);
  std::vector<std::uint32_t> places(blocks.order.size());
  for (std::size_t i = 0; i < places.size(); ++i)
    places[blocks.order[i]] = static_cast<std::uint32_t>(i);
  std::iota(blocks.order.begin(), blocks.order.end(), 0U);
  return places;
}

}  // namespace sluice::fluid
