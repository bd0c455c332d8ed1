// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/sparse_grid.h"

#include <bit>
#include <cassert>
#include <limits>

#include "solver/parallel/radix_sort.h"

namespace sluice::geometry {
namespace {

constexpr std::int64_t grain = 2048;

}  // namespace

void SparseGrid::build(std::span<const Bounds> boxes, const Settings& settings) {
  assert(boxes.size() < (std::size_t{1} << 27));
  boxes_.assign(boxes.begin(), boxes.end());
  entries_.clear();
  entry_keys_.clear();
  if (boxes_.empty()) return;
  bounds_ = boxes_.front();
  for (const Bounds& box : boxes_) {
    assert(box.lower.allFinite() && box.upper.allFinite());
    bounds_.lower = bounds_.lower.cwiseMin(box.lower);
    bounds_.upper = bounds_.upper.cwiseMax(box.upper);
  }
  choose_levels(settings);
  sort_entries();
  index_blocks();
}

void SparseGrid::choose_levels(const Settings& settings) {
  assert(settings.level_count >= 1 && settings.level_count <= 8);
  double largest = 0, smallest = std::numeric_limits<double>::infinity();
  for (const Bounds& box : boxes_) {
    const double extent = (box.upper - box.lower).maxCoeff();
    largest = std::max(largest, extent);
    smallest = std::min(smallest, extent);
  }
  // A block index has at most max_axis_bits bits, which bounds the finest edge from below.
  const double range = (bounds_.upper - bounds_.lower).maxCoeff();
  const double least_edge = range / ((1 << max_axis_bits) - 2);
  double edge = std::max(settings.cell_edge > 0 ? settings.cell_edge : largest, least_edge);
  if (!(edge > 0)) edge = 1;  // All boxes are one point.
  // No level that is too fine for any box: short keys sort faster.
  const double finest_edge = std::max(smallest, least_edge);
  int count = 1;
  while (count < settings.level_count && edge / (1 << count) >= finest_edge)
    ++count;
  levels_.resize(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    Level& level = levels_[static_cast<std::size_t>(i)];
    level.inverse_edge = (1 << i) / edge;
    level.last_block.setConstant((1 << max_axis_bits) - 1);
    const Block last = block_of(level, bounds_.upper);
    level.last_block = {double(last[0]), double(last[1]), double(last[2])};
  }
  const double finest = levels_.back().last_block.maxCoeff();
  axis_bits_ = static_cast<int>(std::bit_width(static_cast<std::uint32_t>(finest)));
  box_levels_.resize(boxes_.size());
  parallel::parallel_for(
      0, static_cast<std::int64_t>(boxes_.size()), grain,
      [&](std::int64_t first, std::int64_t last) {
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
          const double extent = (boxes_[i].upper - boxes_[i].lower).maxCoeff();
          std::size_t level = 0;
          while (level + 1 < levels_.size() && extent * levels_[level + 1].inverse_edge <= 1)
            ++level;
          box_levels_[i] = static_cast<std::uint8_t>(level);
        }
      });
}

void SparseGrid::sort_entries() {
  const auto ranges = [&](std::size_t i) {
    const Level& level = levels_[box_levels_[i]];
    return std::pair(block_of(level, boxes_[i].lower), block_of(level, boxes_[i].upper));
  };
  entry_starts_.resize(boxes_.size() + 1);
  std::int64_t total = 0;
  for (std::size_t i = 0; i < boxes_.size(); ++i) {
    entry_starts_[i] = static_cast<std::int32_t>(total);
    const auto [first, last] = ranges(i);
    std::int64_t blocks = 1;
    for (std::size_t axis = 0; axis < 3; ++axis)
      blocks *= last[axis] - first[axis] + 1;
    total += blocks;
    assert(total < (std::int64_t{1} << 31));
  }
  entry_keys_.resize(static_cast<std::size_t>(total));
  entries_.resize(static_cast<std::size_t>(total));
  parallel::parallel_for(0, static_cast<std::int64_t>(boxes_.size()), grain,
                         [&](std::int64_t begin, std::int64_t end) {
                           for (auto i = static_cast<std::size_t>(begin);
                                i < static_cast<std::size_t>(end); ++i) {
                             auto entry = static_cast<std::size_t>(entry_starts_[i]);
                             const auto [first, last] = ranges(i);
                             Block block;
                             for (block[2] = first[2]; block[2] <= last[2]; ++block[2]) {
                               for (block[1] = first[1]; block[1] <= last[1]; ++block[1]) {
                                 for (block[0] = first[0]; block[0] <= last[0]; ++block[0]) {
                                   entry_keys_[entry] = key_of(box_levels_[i], block);
                                   entries_[entry++] = static_cast<std::uint32_t>(i);
                                 }
                               }
                             }
                           }
                         });
  // Stable: a block lists its boxes by index.
  if (3 * axis_bits_ + level_bits > 32) {
    parallel::radix_sort<std::uint64_t>(entry_keys_, entries_);
  } else {  // Half the passes.
    narrow_keys_.assign(entry_keys_.begin(), entry_keys_.end());
    parallel::radix_sort<std::uint32_t>(narrow_keys_, entries_);
    entry_keys_.assign(narrow_keys_.begin(), narrow_keys_.end());
  }
}

void SparseGrid::index_blocks() {
  const std::size_t entry_count = entries_.size();
  // At most half full, so that probes stay short.
  slots_.assign(std::bit_ceil(2 * entry_count + 1), Slot{});
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    const auto first =
        std::lower_bound(entry_keys_.begin(), entry_keys_.end(), key_of(l, {0, 0, 0}));
    const auto last = std::lower_bound(first, entry_keys_.end(), key_of(l + 1, {0, 0, 0}));
    Level& level = levels_[l];
    level.first_entry = static_cast<std::int32_t>(first - entry_keys_.begin());
    level.entry_count = static_cast<std::int32_t>(last - first);
    if (level.entry_count == 0) continue;
    // 16 bits an entry keep chance hits rare; 2^18 bits stay in the first-level cache.
    const int bits =
        static_cast<int>(std::bit_width(static_cast<std::uint32_t>(level.entry_count))) + 4;
    level.bitmap_bits = std::clamp((bits + 2) / 3, 6, 10);
    level.bitmap.assign((std::size_t{1} << (3 * level.bitmap_bits)) / 64, 0);
  }
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = 0; i < entry_count;) {
    const std::uint64_t key = entry_keys_[i];
    std::size_t end = i + 1;
    while (end < entry_count && entry_keys_[end] == key)
      ++end;
    std::size_t place = hash(key) & mask;
    while (slots_[place].key != empty_key)
      place = (place + 1) & mask;
    slots_[place] = {key, static_cast<std::int32_t>(i), static_cast<std::int32_t>(end)};
    const auto coordinate = [&](int axis) {
      return static_cast<std::int32_t>(key >> (axis * axis_bits_) & ((1U << axis_bits_) - 1));
    };
    Level& level = levels_[static_cast<std::size_t>(key >> (3 * axis_bits_))];
    const std::size_t bit = bit_of(level, {coordinate(0), coordinate(1), coordinate(2)});
    level.bitmap[bit / 64] |= std::uint64_t{1} << (bit % 64);
    i = end;
  }
}

}  // namespace sluice::geometry
