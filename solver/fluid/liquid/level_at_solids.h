// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "solver/fluid/lattice/cell_frame.h"
#include "solver/fluid/lattice/mac_grid.h"

namespace sluice::fluid::grid {

/// How a cell lies to the obstacles at the surface.
enum class AtSolid : std::uint8_t {
  no,
  near,      ///< Within some cells of one that is `level`.
  level,     ///< An obstacle cuts it, and its level is evened out with its neighbours'.
  shut_off,  ///< An obstacle cuts it, and its density looks like air, but no open air reaches it.
};

template <int D>
struct LevelAtSolids {
  Array<AtSolid> at;                 ///< By cell; empty if obstacles cut none.
  std::vector<std::uint32_t> tiles;  ///< Tiles with cut cells, and tiles next to them.
};

/// Makes the level of liquid even where obstacles cut cells.
///
/// A cell's density says where the surface is if particles are spread evenly there. An obstacle
/// cuts their lattice anywhere, and the surface is then off by up to half a cell, differently in
/// each cell: pressure drives level water about. So levels are evened out a little between a cut
/// cell and its neighbours, like heat, by weights that are the same both ways: a cell that took the
/// level of its neighbours, while they did not take its own, would let waves draw energy from
/// nowhere. Only levels that belong to one surface count, across open faces.
///
/// `up` is a unit vector against gravity, or 0, which changes nothing. `distance` [cells] is
/// MacGrid's, by each cell alone; needs the room, open, is_bodiless and is_clear of `grid`.
template <int D>
[[nodiscard]] LevelAtSolids<D> level_at_solids(const MacGrid<D>& grid, const Vec<D>& up,
                                               Array<float>& distance);

/// Slows velocities below 0.06 sqrt(g dx) on faces of cells near or at the level at obstacles,
/// within some sqrt(dx / g): an error of the level of 6 % of a cell drives as much in that time.
/// Such waves end there, as real ones do where the edge of the water sticks. Faster flow is left as
/// it is, and the drag is at most 1.5 % of gravity. `gravity` [m/s^2], `h` [s], `cell_size` [m].
template <int D>
void calm_at_solids(const LevelAtSolids<D>& level, float gravity, float h, float cell_size,
                    MacGrid<D>& grid);

extern template LevelAtSolids<2> level_at_solids<2>(const MacGrid<2>&, const Vec<2>&,
                                                    Array<float>&);
extern template LevelAtSolids<3> level_at_solids<3>(const MacGrid<3>&, const Vec<3>&,
                                                    Array<float>&);
extern template void calm_at_solids<2>(const LevelAtSolids<2>&, float, float, float, MacGrid<2>&);
extern template void calm_at_solids<3>(const LevelAtSolids<3>&, float, float, float, MacGrid<3>&);

}  // namespace sluice::fluid::grid
