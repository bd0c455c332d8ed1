// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "solver/fluid/particles/particles.h"
#include "solver/parallel/collector.h"

namespace sluice::fluid {

/// Looks through all particles. Keeps its memory from search to search.
class ParticleSearch {
 public:
  /// The particles whose position [m] `is_wanted` accepts, ascending. Valid until the next call.
  template <typename IsWanted>
  const std::vector<std::uint32_t>& find(const Particles& particles, const IsWanted& is_wanted) {
    constexpr std::int64_t grain = 16384;
    collector_.collect(
        static_cast<std::int64_t>(particles.count), grain,
        [&](std::int64_t first, std::int64_t last, std::vector<std::uint32_t>& found) {
          for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
            if (is_wanted(particles.positions[i])) found.push_back(static_cast<std::uint32_t>(i));
          }
        },
        found_);
    return found_;
  }

 private:
  std::vector<std::uint32_t> found_;
  parallel::Collector<std::uint32_t> collector_;
};

}  // namespace sluice::fluid
