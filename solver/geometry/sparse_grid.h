// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "solver/geometry/box_packet.h"
#include "solver/geometry/broad_phase.h"
#include "solver/geometry/shape.h"
#include "solver/types.h"

namespace sluice::geometry {

/// The broad phase (see broad_phase.h) of [Yang2023, 4.2].
///
/// Space is cut into cells of one edge, each of which may be cut into octants `level_count - 1`
/// times. A box goes to the level whose blocks fit it best, the smallest that are no smaller than
/// the box, into the at most 8 blocks there that it overlaps. Only blocks that hold boxes are
/// stored, in a hash table behind a bitmap that turns most queries away with one test for each
/// level. The boxes of a block are tested 8 at a time.
///
/// Boxes with several blocks in common are paired in the first of these, by each axis, only: it is
/// the first block of the one or of the other on each axis, which three bits a box show.
///
/// Exactness: the block of a coordinate is a non-decreasing function of it, rounding included, and
///   is computed by the same code for boxes and queries; see box_packet.h for the tests.
/// Cost: build is O(boxes), some 0.1 us for each. All buffers are kept from build to build.
/// Motion: built again for every set of boxes. Keeping the blocks while boxes stay within a margin
///   loses: the edges of a cloth that collides with itself take 15 ms to build, of 69 with their
///   pairs; to find the pairs of boxes with a margin of a twentieth of their size takes 16 ms more.
class SparseGrid {
 public:
  struct Settings {
    double cell_edge = 0;  ///< [m] of the coarsest level; 0: one that fits the boxes.
    int level_count = 16;  ///< In [1, 16]. A level that is not used costs nothing.
  };

  /// A box that overlaps many cells of the coarsest level costs as many entries: a cell_edge that
  /// is given should be near the largest extent of any box.
  void build(std::span<const Bounds> boxes, const Settings& settings);
  void build(std::span<const Bounds> boxes) { build(boxes, {}); }

  [[nodiscard]] Bounds bounds() const { return bounds_; }

  template <typename Visit>
  void for_each_overlap(const Bounds& query, Visit&& visit) const;

  template <typename BoxOf, typename Visit>
  void for_overlaps(std::span<const std::int32_t> queries, BoxOf&& box_of, Visit&& visit) const;

  [[nodiscard]] std::int64_t part_count() const {
    return parallel::chunk_count(0, static_cast<std::int64_t>(blocks_.size()), part_size);
  }

  template <typename Visit>
  void for_pairs(std::int64_t part, Visit&& visit) const;

 private:
  // Index by axis. On the next coarser level a block lies in that of half its index, rounded down.
  using BlockIndex = std::array<std::int32_t, 3>;
  using Float4 = simd::Float4;
  using Double4 = simd::Double4;

  // The blocks that a box overlaps at a level, in the lanes of a FloatBox: those from that of the
  // lower corner to that of the upper.
  using Range = Int8;

  struct Level {
    Float8 scale{};       // Blocks a unit of a FloatBox.
    Float8 last_block{};  // Largest block index on the axis of a lane.
    std::size_t first_block = 0, block_count = 0;
    int bitmap_bits = 0;  // Bits a side of the bitmap, which wraps around.
    std::vector<std::uint64_t> bitmap, near_bitmap;  // Blocks with boxes; these and any before.
  };

  // A block that holds boxes: those of the entries in [first, last).
  struct Block {
    std::uint64_t key;
    std::int32_t first, last;
  };

  struct Slot {
    std::uint64_t key = empty_key;
    std::int32_t block = 0;
  };
  static constexpr std::uint64_t empty_key = ~std::uint64_t{0};
  static constexpr int max_axis_bits = 19;
  static constexpr int max_level_count = 16;
  static constexpr std::int64_t part_size = 128;  // Blocks.
  static constexpr int flag_bits = 3;  // Flags in a tag, below the index: first block on this axis?
  static constexpr std::int32_t all_axes = 7;

  void choose_levels(const Settings& settings);
  void convert_boxes();
  void sort_entries();
  void fill_packets();
  void index_blocks();

  // The level whose blocks fit a box.
  [[nodiscard]] std::size_t level_of(const FloatBox& box) const;

  // Converts by a non-decreasing function for each axis; the set's own boxes are then in [0, 1].
  [[nodiscard]] FloatBox float_box(const Bounds& box) const {
    const auto convert = [&](Double4 x, const Double4& origin) {
      x = (x - origin) * inverse_range_;
      // Clamped, so that the conversion is defined.
      x = x > -1 ? x : Double4{} - 1;
      x = x < 2 ? x : Double4{} + 2;
      return __builtin_convertvector(x, Float4);
    };
    const Vec3 &l = box.lower, &u = box.upper;
    return __builtin_shufflevector(convert(Double4{l.x(), l.y(), l.z(), u.x()}, origin_[0]),
                                   convert(Double4{l.z(), u.x(), u.y(), u.z()}, origin_[1]), 0, 1,
                                   2, 3, 4, 5, 6, 7);
  }

  [[nodiscard]] static Range range_of(const Level& level, const FloatBox& box) {
    // Clamped to blocks that there are. Every step is non-decreasing.
    const Float8 scaled = box * level.scale;
    const Float8 positive = scaled > 0 ? scaled : Float8{};
    return __builtin_convertvector(positive < level.last_block ? positive : level.last_block,
                                   Range);
  }

  [[nodiscard]] std::uint64_t key_of(std::size_t level, const BlockIndex& block) const {
    const auto bits = [](std::int32_t i) { return static_cast<std::uint64_t>(i); };
    return (((static_cast<std::uint64_t>(level) << axis_bits_[2] | bits(block[2]))
                 << axis_bits_[1] |
             bits(block[1]))
            << axis_bits_[0]) |
           bits(block[0]);
  }
  [[nodiscard]] std::pair<std::size_t, BlockIndex> level_and_index(std::uint64_t key) const {
    BlockIndex index{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      index[axis] = static_cast<std::int32_t>(key & ((1U << axis_bits_[axis]) - 1));
      key >>= axis_bits_[axis];
    }
    return {static_cast<std::size_t>(key), index};
  }

  static std::size_t bit_of(const Level& level, const BlockIndex& block) {
    const auto mask = (std::uint32_t{1} << level.bitmap_bits) - 1;
    const auto side = [&](std::size_t axis) {
      return static_cast<std::size_t>(static_cast<std::uint32_t>(block[axis]) & mask);
    };
    return ((side(2) << level.bitmap_bits | side(1)) << level.bitmap_bits) | side(0);
  }

  static bool is_set(const std::vector<std::uint64_t>& bitmap, std::size_t bit) {
    return (bitmap[bit / 64] >> (bit % 64) & 1) != 0;
  }

  static std::size_t hash(std::uint64_t key) {
    return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15U) >> 32);
  }

  // Returns null where no box is.
  [[nodiscard]] const Block* find_block(std::size_t level_index, const BlockIndex& index) const {
    const Level& level = levels_[level_index];
    const std::size_t bit = bit_of(level, index);
    if (!is_set(level.bitmap, bit)) return nullptr;
    const std::uint64_t key = key_of(level_index, index);
    const std::size_t mask = slots_.size() - 1;
    std::size_t place = hash(key) & mask;
    while (slots_[place].key != key) {
      if (slots_[place].key == empty_key) return nullptr;
      place = (place + 1) & mask;
    }
    return &blocks_[static_cast<std::size_t>(slots_[place].block)];
  }

  // Boxes that were found, and for whom, before they are visited: a branch for each, or a loop for
  // the few of one query or box, would be mispredicted.
  struct Hits {
    static constexpr std::int32_t capacity = 512;
    std::array<std::int32_t, capacity + BoxPacket::size> names, boxes;
    std::size_t count = 0;
  };

  // Adds the boxes of the entries in [first, last) that overlap `box`, which `query` has in float,
  // and whose tags have the bits `needed`, under `name`. Calls flush(), which takes all hits, where
  // there may be no room.
  template <typename Flush>
  void search(std::int32_t first, std::int32_t last, const Bounds& box, const PacketQuery& query,
              std::int32_t needed, std::int32_t name, Hits& hits, Flush&& flush) const {
    constexpr std::int32_t piece = Hits::capacity / 2;
    for (; first < last; first += piece) {
      if (hits.count > Hits::capacity - piece) flush();
      find_entries(first, std::min(first + piece, last), box, query, needed, name, hits);
    }
  }

  void find_entries(std::int32_t first, std::int32_t last, const Bounds& box,
                    const PacketQuery& query, std::int32_t needed, std::int32_t name,
                    Hits& hits) const {
    constexpr std::uint32_t all_lanes = 0xFF;
    const BoxPacket* packet = &packets_[static_cast<std::size_t>(first) / BoxPacket::size];
    const BoxPacket* const end = &packets_[static_cast<std::size_t>(last - 1) / BoxPacket::size];
    const Int8 names = Int8{} + name;
    std::size_t count = hits.count;
    const auto find_lanes = [&](std::uint32_t lanes) {
      const Float8 depth = query.depth(*packet);
      std::uint32_t found = signs((packet->tag & needed) == needed) & ~signs(depth) & lanes;
      if (const std::uint32_t unclear = signs(depth == 0) & found; unclear != 0)
        found &= ~apart(box, *packet, unclear);
      store_lanes(packet->tag >> flag_bits, found, &hits.boxes[count]);
      std::memcpy(&hits.names[count], &names, sizeof(names));
      count += static_cast<std::size_t>(std::popcount(found));
    };
    std::uint32_t lanes = all_lanes << (static_cast<std::uint32_t>(first) % BoxPacket::size);
    for (; packet != end; ++packet) {
      find_lanes(lanes);
      lanes = all_lanes;
    }
    find_lanes(lanes & all_lanes >> (static_cast<std::uint32_t>(-last) % BoxPacket::size));
    hits.count = count;
  }

  // The boxes in `lanes` that do not overlap `box`.
  [[nodiscard]] std::uint32_t apart(const Bounds& box, const BoxPacket& packet,
                                    std::uint32_t lanes) const;

  // The flags in `block` of a box whose blocks begin at `begin`.
  static std::int32_t flags_of(const BlockIndex& block, const BlockIndex& begin) {
    return static_cast<std::int32_t>(block[0] == begin[0]) |
           static_cast<std::int32_t>(block[1] == begin[1]) << 1 |
           static_cast<std::int32_t>(block[2] == begin[2]) << 2;
  }

  // Finds all boxes that overlap `query`.
  template <typename Flush>
  void search_levels(const Bounds& query, std::int32_t name, Hits& hits, Flush& flush) const;

  // Finds the pairs of the entry `i` with those in [first, last). `starts`: the axes on which the
  // block of `i` is the first of the blocks of its level in that of the others.
  template <typename Flush>
  void find_pairs_of(std::int32_t i, std::int32_t starts, std::int32_t first, std::int32_t last,
                     Hits& hits, Flush& flush) const;

  std::array<Double4, 2> origin_{};  // bounds_.lower, as float_box needs it.
  double inverse_range_ = 0;         // [1/m] One over the largest extent of bounds_.
  std::vector<Bounds> boxes_;
  std::vector<Level> levels_;
  std::vector<FloatBox> float_boxes_;
  std::vector<std::int32_t> entry_starts_;  // By chunk of boxes.
  std::vector<std::uint32_t> narrow_keys_;  // entry_keys_ to sort, where 32 bits do.
  std::vector<std::uint64_t> entry_keys_;   // Block of each entry; sorted after the build.
  std::vector<std::uint32_t> entries_;      // Tags, index and flags of the boxes, block by block.
  std::vector<Block> blocks_;               // By ascending key: level after level.
  std::vector<BoxPacket> packets_;          // The entries' boxes and tags.
  std::vector<Slot> slots_;
  Bounds bounds_ = nothing();       // Bounds of all boxes.
  std::array<int, 3> axis_bits_{};  // Bits of a block index in a key.
};

template <typename Visit>
void SparseGrid::for_each_overlap(const Bounds& query, Visit&& visit) const {
  Hits hits;
  const auto flush = [&] {
    for (std::size_t k = 0; k < hits.count; ++k)
      visit(hits.boxes[k]);
    hits.count = 0;
  };
  search_levels(query, 0, hits, flush);
  flush();
}

template <typename BoxOf, typename Visit>
void SparseGrid::for_overlaps(std::span<const std::int32_t> queries, BoxOf&& box_of,
                              Visit&& visit) const {
  Hits hits;
  const auto flush = [&] {
    std::array<BoxPair, Hits::capacity> pairs;
    for (std::size_t k = 0; k < hits.count; ++k)
      pairs[k] = {hits.names[k], hits.boxes[k]};
    visit(std::span<const BoxPair>(pairs.data(), hits.count));
    hits.count = 0;
  };
  for (const std::int32_t query : queries)
    search_levels(box_of(query), query, hits, flush);
  flush();
}

template <typename Flush>
void SparseGrid::search_levels(const Bounds& query, std::int32_t name, Hits& hits,
                               Flush& flush) const {
  if (!overlap(query, bounds_)) return;
  const FloatBox box = float_box(query);
  const auto search_block = [&](const Block& block, std::int32_t needed) {
    search(block.first, block.last, query, PacketQuery(box), needed, name, hits, flush);
  };
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    const Level& level = levels_[l];
    if (level.block_count == 0) continue;
    const Range range = range_of(level, box);
    const BlockIndex begin{range[0], range[1], range[2]}, last{range[5], range[6], range[7]};
    const std::int64_t x_count = last[0] - begin[0] + 1, y_count = last[1] - begin[1] + 1,
                       z_count = last[2] - begin[2] + 1;
    if (x_count <= 2 && y_count <= 2 && z_count <= 2) {
      if (!is_set(level.near_bitmap, bit_of(level, begin))) continue;
    } else if (x_count * y_count * z_count > 8 + static_cast<std::int64_t>(level.block_count)) {
      // Look at every box once, in its own first block.
      for (std::size_t b = level.first_block; b < level.first_block + level.block_count; ++b)
        search_block(blocks_[b], all_axes);
      continue;
    }
    BlockIndex index;
    for (index[2] = begin[2]; index[2] <= last[2]; ++index[2]) {
      for (index[1] = begin[1]; index[1] <= last[1]; ++index[1]) {
        for (index[0] = begin[0]; index[0] <= last[0]; ++index[0]) {
          if (const Block* block = find_block(l, index); block != nullptr)
            search_block(*block, all_axes & ~flags_of(index, begin));
        }
      }
    }
  }
}

template <typename Flush>
void SparseGrid::find_pairs_of(std::int32_t i, std::int32_t starts, std::int32_t first,
                               std::int32_t last, Hits& hits, Flush& flush) const {
  const BoxPacket& packet = packets_[static_cast<std::size_t>(i) / BoxPacket::size];
  const auto lane = static_cast<std::size_t>(i) % BoxPacket::size;
  const std::int32_t tag = packet.tag[lane], box = tag >> flag_bits;
  const std::int32_t needed = all_axes & ~tag;
  if ((needed & ~starts) != 0) return;  // Not the first block that they share.
  search(first, last, boxes_[static_cast<std::size_t>(box)], PacketQuery(packet, lane), needed, box,
         hits, flush);
}

template <typename Visit>
void SparseGrid::for_pairs(std::int64_t part, Visit&& visit) const {
  Hits hits;
  const auto flush = [&] {
    std::array<BoxPair, Hits::capacity> pairs;
    for (std::size_t k = 0; k < hits.count; ++k) {
      const std::int32_t one = hits.names[k], other = hits.boxes[k];
      pairs[k] = {one < other ? one : other, one < other ? other : one};
    }
    visit(std::span<const BoxPair>(pairs.data(), hits.count));
    hits.count = 0;
  };
  const auto begin = static_cast<std::size_t>(part * part_size);
  const std::size_t end = std::min(begin + part_size, blocks_.size());
  for (std::size_t b = begin; b < end; ++b) {
    const Block& block = blocks_[b];
    for (std::int32_t i = block.first; i + 1 < block.last; ++i)
      find_pairs_of(i, all_axes, i + 1, block.last, hits, flush);
    auto [level, index] = level_and_index(block.key);
    std::int32_t starts = all_axes;
    while (level > 0) {
      --level;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if ((index[axis] & 1) != 0) starts &= ~(1 << axis);
        index[axis] >>= 1;
      }
      if (levels_[level].block_count == 0) continue;
      const Block* const coarse = find_block(level, index);
      if (coarse == nullptr) continue;
      for (std::int32_t i = block.first; i < block.last; ++i)
        find_pairs_of(i, starts, coarse->first, coarse->last, hits, flush);
    }
  }
  flush();
}

static_assert(BroadPhase<SparseGrid>);

}  // namespace sluice::geometry
