// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "solver/parallel/parallel_for.h"

namespace sluice::parallel {

/// Gathers what the chunks of a parallel loop find, each any number of items, into one list.
/// Keeps its memory from call to call. One call at a time.
template <typename Item>
class Collector {
 public:
  /// Sets `all` to what `find(first, last, found)` appends to `found` for the chunks of [0, count)
  /// (see parallel_for), in the order of the chunks, whichever thread ran them.
  template <typename Find>
  void collect(std::int64_t count, std::int64_t grain, Find&& find, std::vector<Item>& all) {
    const std::int64_t chunks = chunk_count(0, count, grain);
    if (thread_count() == 1) {  // Straight into the list.
      all.clear();
      for (std::int64_t first = 0; first < count; first += grain)
        find(first, std::min(first + grain, count), all);
      return;
    }
    if (lists_.size() < static_cast<std::size_t>(chunks)) {
      lists_.resize(static_cast<std::size_t>(chunks));
    }
    parallel_for(0, count, grain, [&](std::int64_t first, std::int64_t last) {
      std::vector<Item>& found = lists_[static_cast<std::size_t>(first / grain)];
      found.clear();
      find(first, last, found);
    });
    starts_.resize(static_cast<std::size_t>(chunks) + 1);
    for (std::size_t chunk = 0; chunk < static_cast<std::size_t>(chunks); ++chunk)
      starts_[chunk + 1] = starts_[chunk] + lists_[chunk].size();
    all.resize(starts_.back());  // Not cleared before: what is kept need not be set twice.
    parallel_for(0, chunks, 8, [&](std::int64_t first, std::int64_t last) {
      for (auto chunk = static_cast<std::size_t>(first); chunk < static_cast<std::size_t>(last);
           ++chunk) {
        std::copy(lists_[chunk].begin(), lists_[chunk].end(),
                  all.begin() + static_cast<std::ptrdiff_t>(starts_[chunk]));
      }
    });
  }

 private:
  std::vector<std::vector<Item>> lists_;  // By chunk.
  std::vector<std::size_t> starts_{0};    // By chunk: where its items start; and their total count.
};

}  // namespace sluice::parallel
