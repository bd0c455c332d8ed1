// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/fluid/lattice/mac_grid.h"
#include "solver/fluid/obstacles/solid_faces.h"

namespace sluice::fluid::grid {

/// Folds `grid.density` and `grid.room` at walls, after solids have taken their room: adds those of
/// a cell beyond a wall to the cell before it. The one beyond then has that density, and no room.
///
/// So up to the wall every particle counts alike in a cell's density. A tent function cut off there
/// would find a cell full where fewer particles stand beneath its top, and evening out would bring
/// them there: a tank was a tenth of a cell deeper than its liquid.
template <int D>
void fold_at_walls(const Sides<D>& sides, MacGrid<D>& grid);

extern template void fold_at_walls<2>(const Sides<2>&, MacGrid<2>&);
extern template void fold_at_walls<3>(const Sides<3>&, MacGrid<3>&);

}  // namespace sluice::fluid::grid
