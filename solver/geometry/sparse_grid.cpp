// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/sparse_grid.h"

#include <cassert>
#include <cmath>
#include <limits>

#include "solver/parallel/parallel_reduce.h"
#include "solver/parallel/radix_sort.h"

namespace sluice::geometry {
namespace {

constexpr std::int64_t sparse_grid_grain = 2048;
constexpr double least_size = 1e-290;  // [m] A size far below this has no finite inverse.

// The bounds and extents of all boxes together.
struct Summary {
  Vec3 lower, upper;
  double largest, sum;  // [m] The largest of the boxes' largest extents, and their sum.
};
Summary join(const Summary& a, const Summary& b) {
  return {a.lower.cwiseMin(b.lower), a.upper.cwiseMax(b.upper), std::max(a.largest, b.largest),
          a.sum + b.sum};
}

Summary summarize(std::span<const Bounds> boxes) {
  const auto summary_of = [&](std::int64_t i) -> Summary {
    const Bounds& box = boxes[static_cast<std::size_t>(i)];
    const double extent = (box.upper - box.lower).maxCoeff();
    return {box.lower, box.upper, extent, extent};
  };
  return parallel::parallel_reduce(
      0, static_cast<std::int64_t>(boxes.size()), sparse_grid_grain, summary_of(0),
      [&](std::int64_t first, std::int64_t last) {
        Summary all = summary_of(first);
        for (std::int64_t i = first + 1; i < last; ++i)
          all = join(all, summary_of(i));
        return all;
      },
      join);
}

void set_bit(std::vector<std::uint64_t>& bitmap, std::size_t bit) {
  bitmap[bit / 64] |= std::uint64_t{1} << (bit % 64);
}

}  // namespace

void SparseGrid::build(std::span<const Bounds> boxes, const Settings& settings) {
  assert(boxes.size() < (std::size_t{1} << 27));
  boxes_.assign(boxes.begin(), boxes.end());
  blocks_.clear();
  bounds_ = nothing();
  if (boxes_.empty()) return;
  choose_levels(settings);
  convert_boxes();
  sort_entries();
  fill_packets();
  index_blocks();
}

void SparseGrid::choose_levels(const Settings& settings) {
  assert(settings.level_count >= 1 && settings.level_count <= max_level_count);
  const Summary all = summarize(boxes_);
  bounds_ = {all.lower, all.upper};
  assert(bounds_.lower.allFinite() && bounds_.upper.allFinite());
  const Vec3 ranges = bounds_.upper - bounds_.lower;
  const double range = ranges.maxCoeff();
  inverse_range_ = range > least_size ? 1 / range : 1;
  const Vec3& o = bounds_.lower;
  origin_ = {Double4{o.x(), o.y(), o.z(), o.x()}, Double4{o.z(), o.x(), o.y(), o.z()}};
  // A block index has at most max_axis_bits bits, which bounds the finest edge from below.
  const double least_edge = range / ((1 << max_axis_bits) - 2);
  double edge = settings.cell_edge;
  if (!(edge > 0)) {
    // A level that most boxes fit in with room to spare: larger blocks hold more boxes, in smaller
    // ones a box is in more blocks.
    edge = std::max(1.5 * all.sum / static_cast<double>(boxes_.size()), least_edge);
    while (edge < all.largest)
      edge *= 2;
  }
  edge = std::max(edge, least_edge);
  if (!(edge > least_size)) edge = 1;  // All boxes are one point.
  std::size_t count = 1;
  while (static_cast<int>(count) < settings.level_count && edge / (1 << count) >= least_edge)
    ++count;
  levels_.resize(count);
  const FloatBox whole = float_box(bounds_);
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    levels_[l].scale = Float8{} + static_cast<float>((1 << l) / edge / inverse_range_);
    levels_[l].last_block = Float8{} + static_cast<float>((1 << max_axis_bits) - 1);
    const Float8 last = __builtin_convertvector(range_of(levels_[l], whole), Float8);
    levels_[l].last_block = __builtin_shufflevector(last, last, 5, 6, 7, 5, 7, 5, 6, 7);
  }
}

// The finest level whose blocks are no smaller than the box: l <= -log2(extent / edge), by the
// exponent of the next smaller float.
std::size_t SparseGrid::level_of(const FloatBox& box) const {
  const float extent = std::max({box[5] - box[0], box[6] - box[1], box[7] - box[2]});
  const auto bits = std::bit_cast<std::int32_t>(extent * levels_[0].scale[0]);
  const std::int32_t level = 126 - ((bits - 1) >> 23);
  return static_cast<std::size_t>(
      std::clamp(level, 0, static_cast<std::int32_t>(levels_.size()) - 1));
}

void SparseGrid::convert_boxes() {
  const auto count = static_cast<std::int64_t>(boxes_.size());
  using Counts = std::array<std::int64_t, max_level_count>;
  float_boxes_.resize(boxes_.size());
  const Counts counts = parallel::parallel_reduce(
      0, count, sparse_grid_grain, Counts{},
      [&](std::int64_t begin, std::int64_t end) {
        Counts some{};
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
          float_boxes_[i] = float_box(boxes_[i]);
          ++some[level_of(float_boxes_[i])];
        }
        return some;
      },
      [](Counts a, const Counts& b) {
        for (std::size_t l = 0; l < a.size(); ++l)
          a[l] += b[l];
        return a;
      });
  // A level costs every query a test. The finest ones do without if all their boxes together are
  // so few that to test each with each is no more than to look at every box once.
  std::int64_t few = 0;
  while (levels_.size() > 1 && static_cast<double>(few + counts[levels_.size() - 1]) <=
                                   std::sqrt(static_cast<double>(count))) {
    few += counts[levels_.size() - 1];
    levels_.pop_back();
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const float finest = levels_.back().last_block[axis];
    axis_bits_[axis] = static_cast<int>(std::bit_width(static_cast<std::uint32_t>(finest)));
  }
}

std::uint32_t SparseGrid::apart(const Bounds& box, const BoxPacket& packet,
                                std::uint32_t lanes) const {
  std::uint32_t result = 0;
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
    const auto other = static_cast<std::size_t>(packet.tag[lane] >> flag_bits);
    result |= static_cast<std::uint32_t>(!overlap(box, boxes_[other])) << lane;
  }
  return result;
}

void SparseGrid::sort_entries() {
  const auto count = static_cast<std::int64_t>(boxes_.size());
  entry_starts_.assign(
      static_cast<std::size_t>(parallel::chunk_count(0, count, sparse_grid_grain)) + 1, 0);
  parallel::parallel_for(0, count, sparse_grid_grain, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t entries = 0;
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const Range range = range_of(levels_[level_of(float_boxes_[i])], float_boxes_[i]);
      entries += std::int64_t{range[5] - range[0] + 1} * (range[6] - range[1] + 1) *
                 (range[7] - range[2] + 1);
    }
    assert(entries < std::numeric_limits<std::int32_t>::max());
    entry_starts_[static_cast<std::size_t>(begin / sparse_grid_grain) + 1] =
        static_cast<std::int32_t>(entries);
  });
  for (std::size_t chunk = 1; chunk < entry_starts_.size(); ++chunk) {
    assert(entry_starts_[chunk] <
           std::numeric_limits<std::int32_t>::max() - entry_starts_[chunk - 1]);
    entry_starts_[chunk] += entry_starts_[chunk - 1];
  }
  entry_keys_.resize(static_cast<std::size_t>(entry_starts_.back()));
  entries_.resize(entry_keys_.size());
  parallel::parallel_for(0, count, sparse_grid_grain, [&](std::int64_t begin, std::int64_t end) {
    auto entry = static_cast<std::size_t>(
        entry_starts_[static_cast<std::size_t>(begin / sparse_grid_grain)]);
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const std::size_t level = level_of(float_boxes_[i]);
      const Range range = range_of(levels_[level], float_boxes_[i]);
      const BlockIndex first{range[0], range[1], range[2]}, last{range[5], range[6], range[7]};
      BlockIndex index;
      for (index[2] = first[2]; index[2] <= last[2]; ++index[2]) {
        for (index[1] = first[1]; index[1] <= last[1]; ++index[1]) {
          for (index[0] = first[0]; index[0] <= last[0]; ++index[0]) {
            entry_keys_[entry] = key_of(level, index);
            entries_[entry++] = static_cast<std::uint32_t>(i) << flag_bits |
                                static_cast<std::uint32_t>(flags_of(index, first));
          }
        }
      }
    }
  });
  // Stable: a block lists its boxes by index.
  const auto level_bits = static_cast<int>(std::bit_width(levels_.size() - 1));
  if (axis_bits_[0] + axis_bits_[1] + axis_bits_[2] + level_bits > 32) {
    parallel::radix_sort<std::uint64_t>(entry_keys_, entries_);
  } else {  // Half the passes.
    narrow_keys_.assign(entry_keys_.begin(), entry_keys_.end());
    parallel::radix_sort<std::uint32_t>(narrow_keys_, entries_);
    entry_keys_.assign(narrow_keys_.begin(), narrow_keys_.end());
  }
}

void SparseGrid::fill_packets() {
  constexpr std::size_t size = BoxPacket::size;
  packets_.resize((entries_.size() + size - 1) / size);
  parallel::parallel_for(
      0, static_cast<std::int64_t>(packets_.size()), sparse_grid_grain / 8,
      [&](std::int64_t begin, std::int64_t end) {
        for (auto p = static_cast<std::size_t>(begin); p < static_cast<std::size_t>(end); ++p) {
          for (std::size_t i = p * size; i < std::min((p + 1) * size, entries_.size()); ++i) {
            packets_[p].set(i % size, float_boxes_[entries_[i] >> flag_bits],
                            static_cast<std::int32_t>(entries_[i]));
          }
        }
      });
}

void SparseGrid::index_blocks() {
  for (std::size_t i = 0; i < entry_keys_.size();) {
    std::size_t end = i + 1;
    while (end < entry_keys_.size() && entry_keys_[end] == entry_keys_[i])
      ++end;
    blocks_.push_back(
        {entry_keys_[i], static_cast<std::int32_t>(i), static_cast<std::int32_t>(end)});
    i = end;
  }
  // At most half full, so that probes stay short.
  slots_.assign(std::bit_ceil(2 * blocks_.size() + 1), Slot{});
  const auto block_with = [&](std::uint64_t key) {
    return static_cast<std::size_t>(std::lower_bound(blocks_.begin(), blocks_.end(), key,
                                                     [](const Block& block, std::uint64_t least) {
                                                       return block.key < least;
                                                     }) -
                                    blocks_.begin());
  };
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    Level& level = levels_[l];
    level.first_block = block_with(key_of(l, {0, 0, 0}));
    level.block_count = block_with(key_of(l + 1, {0, 0, 0})) - level.first_block;
    if (level.block_count == 0) continue;
    // 16 bits a block keep chance hits rare; 2^18 bits stay in the first-level cache.
    const int bits =
        static_cast<int>(std::bit_width(static_cast<std::uint32_t>(level.block_count))) + 4;
    level.bitmap_bits = std::clamp((bits + 2) / 3, 6, 10);
    level.bitmap.assign((std::size_t{1} << (3 * level.bitmap_bits)) / 64, 0);
    level.near_bitmap.assign(level.bitmap.size(), 0);
  }
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    std::size_t place = hash(blocks_[b].key) & mask;
    while (slots_[place].key != empty_key)
      place = (place + 1) & mask;
    slots_[place] = {blocks_[b].key, static_cast<std::int32_t>(b)};
    const auto [l, index] = level_and_index(blocks_[b].key);
    Level& level = levels_[l];
    set_bit(level.bitmap, bit_of(level, index));
    for (std::int32_t corner = 0; corner < 8; ++corner) {
      set_bit(level.near_bitmap,
              bit_of(level, {index[0] - (corner & 1), index[1] - (corner >> 1 & 1),
                             index[2] - (corner >> 2)}));
    }
  }
}

}  // namespace sluice::geometry
