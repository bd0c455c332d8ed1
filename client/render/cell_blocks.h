// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <vector>

#include "client/render/cell_lattice.h"

namespace sluice::render {

/// A cell of many sizes, in cells of the lattice.
struct CellBlock {
  std::array<int, 3> first;
  std::array<int, 3> counts;
};

/// The cells that cells of a lattice are in, in the order of their first ones. `levels` is
/// FIELD_CELL_LEVEL. A lattice in two dimensions has one layer, which is as thick as it is.
[[nodiscard]] std::vector<CellBlock> cell_blocks(const CellLattice& lattice,
                                                 std::span<const float> levels);

}  // namespace sluice::render
