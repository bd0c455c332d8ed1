// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "solver/fluid/lattice/grid_frame.h"
#include "solver/fluid/mpm/grid.h"
#include "solver/fluid/mpm/node_bits.h"
#include "solver/fluid/mpm/obstacle_links.h"

namespace sluice::fluid {

/// Gaps between a liquid's particles, on the grid.
///
/// The density feedback (gather_kernel.h) takes whatever has less than nine tenths of its
/// density for a surface, and leaves it alone. Where a jet falls on a floor, particles arrive
/// unevenly, and gaps are larger than that in all of its pool: it lay there like foam of half its
/// density. A node that has liquid on all sides is at no surface: it counts as a gap so small that
/// the feedback closes it.
class Gaps {
 public:
  /// Raises the masses of nodes in gaps, and of their copies by the far sides of what is thin in
  /// `links`, for a liquid of `density` [kg/m^3]; walls' images must be drawn, and what obstacles
  /// fill counted.
  void narrow(const GridFrame& frame, float density, const ObstacleLinks& links, Grid& grid);

 private:
  std::vector<NodeBits> nodes_;        // By block: those in gaps.
  std::vector<std::uint32_t> copies_;  // In Grid::copies(): those in gaps.
};

}  // namespace sluice::fluid
