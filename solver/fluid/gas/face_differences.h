// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "solver/fluid/lattice/each_tile.h"
#include "solver/fluid/lattice/stencil.h"
#include "solver/fluid/lattice/tiles.h"

namespace sluice::fluid::grid {

/// Calls change(axis, index in arrays, how much more there is than before them) for all faces of
/// all tiles, eight in a row at a time, from many threads.
template <int D, typename Change>
void for_each_difference(const Tiles<D>& tiles, const Array<float>& values, const Change& change) {
  for_each_tile(tiles, [&](std::size_t tile) {
    const TileView<D> view(tiles, values.data(), tile);
    for (std::size_t index = 0; index < tile_size<D>; index += 8) {
      const Float8 here = view.here(index);
      const std::array<Float8, side_count<D>> next = view.next(index);
      for (std::size_t axis = 0; axis < D; ++axis)
        change(axis, tile * tile_size<D> + index, here - next[2 * axis]);
    }
  });
}

}  // namespace sluice::fluid::grid
