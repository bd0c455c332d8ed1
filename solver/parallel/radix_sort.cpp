// SPDX-License-Identifier: Apache-2.0
#include "solver/parallel/radix_sort.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <utility>
#include <vector>

#include "solver/parallel/parallel_for.h"

namespace sluice::parallel {

namespace {

constexpr int digit_bits = 8;
constexpr std::size_t digit_count = std::size_t{1} << digit_bits;
// Pairs a chunk: its histogram (1 KiB) is small beside it.
constexpr std::int64_t radix_sort_grain = 16384;

using Histogram = std::array<std::uint32_t, digit_count>;

/// Turns counts by chunk into the place where each chunk puts its first pair of each digit: digits
/// in order, chunks in order within a digit. False if one digit holds every pair.
bool make_offsets(std::vector<Histogram>& histograms, std::size_t pair_count) {
  std::uint32_t next = 0;
  for (std::size_t digit = 0; digit < digit_count; ++digit) {
    const std::uint32_t first = next;
    for (Histogram& histogram : histograms) {
      next += std::exchange(histogram[digit], next);
    }
    if (next - first == pair_count) return false;
  }
  return true;
}

}  // namespace

template <typename Key>
void radix_sort(std::span<Key> keys, std::span<std::uint32_t> values) {
  assert(keys.size() == values.size());
  const auto count = static_cast<std::int64_t>(keys.size());
  if (count < 2) return;
  std::vector<Key> key_buffer(keys.size());
  std::vector<std::uint32_t> value_buffer(keys.size());
  std::vector<Histogram> histograms(
      static_cast<std::size_t>(chunk_count(0, count, radix_sort_grain)));
  std::span<Key> source_keys = keys, target_keys = key_buffer;
  std::span<std::uint32_t> source_values = values, target_values = value_buffer;

  for (int shift = 0; shift < static_cast<int>(8 * sizeof(Key)); shift += digit_bits) {
    const auto digit_of = [shift](Key key) {
      return static_cast<std::size_t>((key >> shift) & (digit_count - 1));
    };
    parallel_for(0, count, radix_sort_grain, [&](std::int64_t first, std::int64_t last) {
      Histogram& histogram = histograms[static_cast<std::size_t>(first / radix_sort_grain)];
      histogram.fill(0);
      for (std::int64_t i = first; i < last; ++i) {
        ++histogram[digit_of(source_keys[static_cast<std::size_t>(i)])];
      }
    });
    if (!make_offsets(histograms, keys.size())) continue;
    parallel_for(0, count, radix_sort_grain, [&](std::int64_t first, std::int64_t last) {
      Histogram& next = histograms[static_cast<std::size_t>(first / radix_sort_grain)];
      for (std::int64_t i = first; i < last; ++i) {
        const Key key = source_keys[static_cast<std::size_t>(i)];
        const std::size_t place = next[digit_of(key)]++;
        target_keys[place] = key;
        target_values[place] = source_values[static_cast<std::size_t>(i)];
      }
    });
    std::swap(source_keys, target_keys);
    std::swap(source_values, target_values);
  }
  if (source_keys.data() != keys.data()) {
    parallel_for(0, count, radix_sort_grain, [&](std::int64_t first, std::int64_t last) {
      std::copy(source_keys.begin() + first, source_keys.begin() + last, keys.begin() + first);
      std::copy(source_values.begin() + first, source_values.begin() + last,
                values.begin() + first);
    });
  }
}

template void radix_sort<std::uint32_t>(std::span<std::uint32_t>, std::span<std::uint32_t>);
template void radix_sort<std::uint64_t>(std::span<std::uint64_t>, std::span<std::uint32_t>);

}  // namespace sluice::parallel
