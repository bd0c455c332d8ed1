// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/fluid/lattice/cell_frame.h"
#include "solver/fluid/lattice/mac_grid.h"
#include "solver/fluid/liquid/level_at_solids.h"

namespace sluice::fluid::grid {

/// Finds which cells are liquid, and how far their middles are from its surface: `grid.distance`
/// and `grid.is_full`, from `grid.density` and `grid.room`.
///
/// Below a surface along the cells' faces that is d cells away, the trilinear weights of evenly
/// spread particles add up to 1 - (1 - d)^2 / 2 of the room that solids leave; above it, to
/// (1 - d)^2 / 2. This gives the distance. A cell between liquid cells is liquid, and so is one
/// that is mostly solid and has liquid next to it, so that pressure does not end where solids begin
/// ([Batty2007], section 4); so is one next to an interior, which is deep below the surface. Where
/// obstacles cut cells, level_at_solids() makes the level even against gravity, which is along
/// -`up`, a unit vector, or 0; its result is returned.
template <int D>
LevelAtSolids<D> find_surface(const Vec<D>& up, MacGrid<D>& grid);

extern template LevelAtSolids<2> find_surface<2>(const Vec<2>&, MacGrid<2>&);
extern template LevelAtSolids<3> find_surface<3>(const Vec<3>&, MacGrid<3>&);

}  // namespace sluice::fluid::grid
