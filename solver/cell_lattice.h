// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "solver/types.h"

namespace sluice {

/// Where the cells of a body are, x fastest, then y, then z.
struct CellLattice {
  std::array<std::int32_t, 3> counts;  ///< Along x, y, z.
  Vec3 lower;                          ///< [m] the first one's corner
  Vec3 edges;                          ///< [m]

  [[nodiscard]] std::int64_t cell_count() const noexcept {
    return std::int64_t{counts[0]} * counts[1] * counts[2];
  }
};

}  // namespace sluice
