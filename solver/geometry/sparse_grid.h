// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/geometry/shape.h"
#include "solver/parallel/parallel_for.h"
#include "solver/types.h"

namespace sluice::geometry {

/// A query and a box of the grid that overlap, by their indices.
struct BoxPair {
  std::int32_t query, box;
  friend bool operator==(const BoxPair&, const BoxPair&) = default;
};

/// Finds which of a set of axis-aligned boxes overlap others: the broad phase of [Yang2023, 4.2].
///
/// Space is cut into cells of one edge, each of which may be cut into octants `level_count - 1`
/// times. A box goes to the level whose blocks fit it best, the smallest that are no smaller than
/// the box, into the at most 8 blocks there that it overlaps. Only blocks that hold boxes are
/// stored, in a hash table behind a bitmap that turns most queries away with one test for each
/// level.
///
/// Guarantee: every pair of closed boxes that overlap (touching counts) is found, exactly once: the
///   block of a coordinate is a monotone function of it, rounding included, and is computed by the
///   same code for boxes and queries.
/// Determinism: the pairs and their order depend on the boxes and queries alone.
/// Cost: build is O(boxes); a query that is far from all boxes takes some 5 to 20 ns. All buffers
///   are kept between builds and queries.
/// Threads: the const members may run at the same time as each other.
class SparseGrid {
 public:
  struct Settings {
    double cell_edge = 0;  ///< [m] of the coarsest level; 0: the largest extent of any box.
    int level_count = 6;   ///< In [1, 8]. One that is not used costs nothing.
  };

  /// Replaces the contents. Boxes are finite, lower <= upper, fewer than 2^27. A box that overlaps
  /// many cells of the coarsest level costs as many entries: keep cell_edge near the largest.
  void build(std::span<const Bounds> boxes, const Settings& settings);

  /// Calls `visit(box)` for the index of each box that overlaps `query` (any box, even infinite;
  /// one with NaN overlaps nothing).
  template <typename Visit>
  void for_each_overlap(const Bounds& query, Visit&& visit) const;

  /// Fills `pairs` with the overlaps of `box_of(i)` for i in [0, count), by ascending i, in
  /// parallel.
  template <typename BoxOf>
  void query(std::int64_t count, BoxOf&& box_of, std::vector<BoxPair>& pairs);

  [[nodiscard]] std::span<const Bounds> boxes() const { return boxes_; }

 private:
  using Block = std::array<std::int32_t, 3>;

  struct Level {
    double inverse_edge = 0;         // [1/m]
    Vec3 last_block = Vec3::Zero();  // Largest block index by axis, in double.
    std::int32_t first_entry = 0, entry_count = 0;
    int bitmap_bits = 0;  // Bits a side of the bitmap, which wraps around.
    std::vector<std::uint64_t> bitmap;
  };

  // Where the entries of a block stand.
  struct Slot {
    std::uint64_t key = empty_key;
    std::int32_t first = 0, last = 0;
  };
  static constexpr std::uint64_t empty_key = ~std::uint64_t{0};
  static constexpr int max_axis_bits = 20;
  static constexpr int level_bits = 3;

  void choose_levels(const Settings& settings);
  void sort_entries();
  void index_blocks();

  [[nodiscard]] Block block_of(const Level& level, const Vec3& point) const {
    // Clamped, so that the conversion is defined; both steps are monotone.
    const Vec3 scaled = (point - bounds_.lower) * level.inverse_edge;
    const Vec3 inside = scaled.cwiseMax(0).cwiseMin(level.last_block);
    return {static_cast<std::int32_t>(inside.x()), static_cast<std::int32_t>(inside.y()),
            static_cast<std::int32_t>(inside.z())};
  }

  [[nodiscard]] std::uint64_t key_of(std::size_t level, const Block& block) const {
    const auto bits = [](std::int32_t i) { return static_cast<std::uint64_t>(i); };
    return (((static_cast<std::uint64_t>(level) << axis_bits_ | bits(block[2])) << axis_bits_ |
             bits(block[1]))
            << axis_bits_) |
           bits(block[0]);
  }

  static std::size_t bit_of(const Level& level, const Block& block) {
    const auto mask = (std::uint32_t{1} << level.bitmap_bits) - 1;
    const auto side = [&](std::size_t axis) {
      return static_cast<std::size_t>(static_cast<std::uint32_t>(block[axis]) & mask);
    };
    return ((side(2) << level.bitmap_bits | side(1)) << level.bitmap_bits) | side(0);
  }

  static std::size_t hash(std::uint64_t key) {
    return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15U) >> 32);
  }

  [[nodiscard]] static bool overlap(const Bounds& a, const Bounds& b) {
    return a.lower.x() <= b.upper.x() && b.lower.x() <= a.upper.x() && a.lower.y() <= b.upper.y() &&
           b.lower.y() <= a.upper.y() && a.lower.z() <= b.upper.z() && b.lower.z() <= a.upper.z();
  }

  template <typename Visit>
  void visit_block(std::size_t level_index, const Block& block, const Block& query_first,
                   const Bounds& query, Visit& visit) const;

  std::vector<Bounds> boxes_;
  int axis_bits_ = 0;  // Of a block index in a key.
  Bounds bounds_{};    // Of all boxes.
  std::vector<Level> levels_;
  std::vector<std::uint8_t> box_levels_;
  std::vector<std::int32_t> entry_starts_;
  std::vector<std::uint32_t> narrow_keys_;  // For sorting, where they fit.
  std::vector<std::uint64_t> entry_keys_;   // Block of each entry; sorted after the build.
  std::vector<std::uint32_t> entries_;      // Indices of boxes, grouped by block.
  std::vector<Slot> slots_;
  std::vector<std::vector<BoxPair>> chunk_pairs_;
};

template <typename Visit>
void SparseGrid::visit_block(std::size_t level_index, const Block& block, const Block& query_first,
                             const Bounds& query, Visit& visit) const {
  const Level& level = levels_[level_index];
  const std::size_t bit = bit_of(level, block);
  if ((level.bitmap[bit / 64] >> (bit % 64) & 1) == 0) return;
  const std::uint64_t key = key_of(level_index, block);
  const std::size_t mask = slots_.size() - 1;
  std::size_t place = hash(key) & mask;
  while (slots_[place].key != key) {
    if (slots_[place].key == empty_key) return;
    place = (place + 1) & mask;
  }
  for (std::int32_t i = slots_[place].first; i < slots_[place].last; ++i) {
    const std::uint32_t index = entries_[static_cast<std::size_t>(i)];
    const Bounds& box = boxes_[index];
    if (!overlap(query, box)) continue;
    // Only in the first of the blocks that both are in.
    const Block box_first = block_of(level, box.lower);
    bool is_first = true;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      is_first &= block[axis] == std::max(query_first[axis], box_first[axis]);
    }
    if (is_first) visit(static_cast<std::int32_t>(index));
  }
}

template <typename Visit>
void SparseGrid::for_each_overlap(const Bounds& query, Visit&& visit) const {
  if (boxes_.empty() || !overlap(query, bounds_)) return;
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    const Level& level = levels_[l];
    if (level.entry_count == 0) continue;
    const Block first = block_of(level, query.lower), last = block_of(level, query.upper);
    const double block_count =
        (1.0 + last[0] - first[0]) * (1.0 + last[1] - first[1]) * (1.0 + last[2] - first[2]);
    if (block_count > 8 + level.entry_count) {
      // More blocks than entries: look at every box once, at its own first block.
      for (std::int32_t i = level.first_entry; i < level.first_entry + level.entry_count; ++i) {
        const std::uint32_t index = entries_[static_cast<std::size_t>(i)];
        const Bounds& box = boxes_[index];
        if (overlap(query, box) &&
            entry_keys_[static_cast<std::size_t>(i)] == key_of(l, block_of(level, box.lower))) {
          visit(static_cast<std::int32_t>(index));
        }
      }
      continue;
    }
    Block block;
    for (block[2] = first[2]; block[2] <= last[2]; ++block[2]) {
      for (block[1] = first[1]; block[1] <= last[1]; ++block[1]) {
        for (block[0] = first[0]; block[0] <= last[0]; ++block[0]) {
          visit_block(l, block, first, query, visit);
        }
      }
    }
  }
}

template <typename BoxOf>
void SparseGrid::query(std::int64_t count, BoxOf&& box_of, std::vector<BoxPair>& pairs) {
  constexpr std::int64_t grain = 2048;  // Some 20 us of queries that miss.
  const auto chunks = static_cast<std::size_t>(parallel::chunk_count(0, count, grain));
  if (chunk_pairs_.size() < chunks) chunk_pairs_.resize(chunks);
  parallel::parallel_for(0, count, grain, [&](std::int64_t first, std::int64_t last) {
    std::vector<BoxPair>& found = chunk_pairs_[static_cast<std::size_t>(first / grain)];
    found.clear();
    for (std::int64_t i = first; i < last; ++i) {
      for_each_overlap(box_of(i), [&](std::int32_t box) {
        found.push_back({static_cast<std::int32_t>(i), box});
      });
    }
  });
  pairs.clear();
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    pairs.insert(pairs.end(), chunk_pairs_[chunk].begin(), chunk_pairs_[chunk].end());
  }
}

}  // namespace sluice::geometry
