// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "solver/parallel/parallel_for.h"

namespace sluice::parallel {

/// Calls `body(index)` for each index below `count`, by parallel_for()'s rules, in chunks of
/// `grain` indices.
template <typename Body>
void for_each_index(std::size_t count, std::int64_t grain, Body&& body) {
  parallel_for(0, static_cast<std::int64_t>(count), grain,
               [&](std::int64_t first, std::int64_t last) {
                 for (auto n = first; n < last; ++n)
                   body(static_cast<std::size_t>(n));
               });
}

}  // namespace sluice::parallel
