// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "solver/fluid/lattice/tiles.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::fluid::grid {

/// Calls body(tile) for all tiles, from many threads.
template <int D, typename Body>
void for_each_tile(const Tiles<D>& tiles, const Body& body) {
  constexpr std::int64_t grain = 4;
  parallel::parallel_for(0, static_cast<std::int64_t>(tiles.count()), grain,
                         [&](std::int64_t begin, std::int64_t end) {
                           for (auto tile = static_cast<std::size_t>(begin);
                                tile < static_cast<std::size_t>(end); ++tile)
                             body(tile);
                         });
}

}  // namespace sluice::fluid::grid
