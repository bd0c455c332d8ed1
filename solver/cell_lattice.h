// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "solver/types.h"

namespace sluice {

/// The regular grid of a body's cells, which are in the order of x fastest, then y, then z.
struct CellLattice {
  std::array<std::int32_t, 3> counts;  ///< Numbers of cells along x, y, z.
  Vec3 lower;                          ///< [m] lower corner of the first cell
  Vec3 edges;                          ///< [m] edge lengths of a cell

  [[nodiscard]] std::int64_t cell_count() const noexcept {
    return std::int64_t{counts[0]} * counts[1] * counts[2];
  }
};

}  // namespace sluice
