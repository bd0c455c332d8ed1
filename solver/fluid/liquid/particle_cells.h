// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/fluid/lattice/cell_frame.h"
#include "solver/fluid/lattice/tiles.h"
#include "solver/types.h"

namespace sluice::fluid::grid {

/// Which particle is in which cell, and the tiles around them all.
template <int D>
struct ParticleCells {
  Tiles<D> tiles;                    ///< Tiles with particles, and all within reach of them.
  std::vector<std::uint32_t> order;  ///< Particles, cell after cell in the order of arrays.
  /// By cell: where its particles begin in `order`; and one more, the end.
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> occupied;  ///< Tiles with particles, ascending.

  [[nodiscard]] std::span<const std::uint32_t> in_tile(std::size_t tile) const noexcept {
    const std::size_t begin = first[tile * tile_size<D>], end = first[(tile + 1) * tile_size<D>];
    return std::span(order).subspan(begin, end - begin);
  }
};

/// Finds the cells of finite positions [m], and gives the lattice all tiles with a cell within
/// `reach` cells of one with particles. Particles of a cell keep their order.
///
/// Along an axis with a `period` [cells], a multiple of two tiles' edges, positions are from 0 to
/// it but for rounding, and the lattice has that period.
template <int D>
[[nodiscard]] ParticleCells<D> find_cells(const CellFrame<D>& frame,
                                          std::span<const Vec3f> positions, std::int32_t reach,
                                          const Cell<D>& period = {});

extern template ParticleCells<2> find_cells<2>(const CellFrame<2>&, std::span<const Vec3f>,
                                               std::int32_t, const Cell<2>&);
extern template ParticleCells<3> find_cells<3>(const CellFrame<3>&, std::span<const Vec3f>,
                                               std::int32_t, const Cell<3>&);

}  // namespace sluice::fluid::grid
