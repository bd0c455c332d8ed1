// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/fluid/lattice/mac_grid.h"
#include "solver/fluid/obstacles/solid_faces.h"

namespace sluice::fluid::grid {

/// Sets the density of the cells of `grid` that an interior has, and adds to that of cells beside
/// them, what evenly spread particles in the interior would scatter there: its ghosts scatter none,
/// as by chance they would be uneven. After SolidFaces::find(), and before fold_at_walls(). Does
/// nothing where there is no interior.
template <int D>
void add_density_of_interior(const Sides<D>& sides, MacGrid<D>& grid);

extern template void add_density_of_interior<2>(const Sides<2>&, MacGrid<2>&);
extern template void add_density_of_interior<3>(const Sides<3>&, MacGrid<3>&);

}  // namespace sluice::fluid::grid
