// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/fluid/lattice/mac_grid.h"
#include "solver/fluid/obstacles/solid_faces.h"

namespace sluice::fluid::grid {

/// Of `grid.density` and `grid.room`, when solids have taken what they fill: adds what reaches a
/// cell beyond a wall to the cell before it, whose density it then shows, without room.
///
/// A cell's density is then what a kernel finds that, up to the wall, counts all alike. A tent cut
/// off there finds a cell full where particles stand beneath its top, and fewer of them do:
/// evening out brought them there, and a tank was a tenth of a cell deeper than its liquid.
template <int D>
void fold_at_walls(const Sides<D>& sides, MacGrid<D>& grid);

extern template void fold_at_walls<2>(const Sides<2>&, MacGrid<2>&);
extern template void fold_at_walls<3>(const Sides<3>&, MacGrid<3>&);

}  // namespace sluice::fluid::grid
