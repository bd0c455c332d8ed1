// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "solver/parallel/parallel_for.h"

namespace sluice::parallel {

/// Combines `map(first, last)` over the chunks of [begin, end) (see parallel_for) into one value.
///
/// The values of neighbouring chunks are combined pairwise, left operand first, in a binary tree
/// whose shape depends on the number of chunks alone: a sum of floats has the same bits for any
/// number of threads, and an error that grows with the logarithm of the count. An empty range gives
/// `identity`, which is used for nothing else. `map` returns T; `combine(T, T)` returns T and need
/// be neither associative nor commutative. Allocates one T a chunk, which is nothing beside a
/// chunk's own work if that takes microseconds.
template <typename T, typename Map, typename Combine>
[[nodiscard]] T parallel_reduce(std::int64_t begin, std::int64_t end, std::int64_t grain,
                                T identity, Map&& map, Combine&& combine) {
  struct Slot {  // Not a bare T: neighbours of a vector<bool> would share a byte between threads.
    T value;
  };
  const auto count = static_cast<std::size_t>(chunk_count(begin, end, grain));
  if (count == 0) return identity;
  std::vector<Slot> partial(count, Slot{identity});
  parallel_for(begin, end, grain, [&](std::int64_t first, std::int64_t last) {
    partial[static_cast<std::size_t>((first - begin) / grain)].value = map(first, last);
  });
  for (std::size_t stride = 1; stride < count; stride *= 2) {
    for (std::size_t i = 0; i + stride < count; i += 2 * stride) {
      partial[i].value = combine(std::move(partial[i].value), std::move(partial[i + stride].value));
    }
  }
  return std::move(partial.front().value);
}

}  // namespace sluice::parallel
