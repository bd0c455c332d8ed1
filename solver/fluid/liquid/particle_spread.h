// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/fluid/lattice/mac_grid.h"
#include "solver/fluid/liquid/particle_cells.h"
#include "solver/fluid/obstacles/screens.h"
#include "solver/fluid/particles/particles.h"

namespace sluice::fluid::grid {

/// Moves the targets of particles that are too near to each other apart, in pairs and by equal ways
/// [Ando2012], section 4.1, in cells that have air within two cells along an axis.
///
/// A flow that stretches in one direction narrows in another: particles draw near each other along
/// the one and leave gaps along the other, rows of a lattice become strings with nothing between
/// them, and the density of a cell, which is right, does not show it. Here particles get back the
/// spacing that the flow took. Deeper in the liquid nobody sees it, and nothing is done.
///
/// No particle comes or goes, so that the volume is exact; velocities stay, and so does momentum.
/// Particles that are at least `least_spacing` times the spacing of the seeds apart, such as those
/// of a lattice at rest, stay where they are. Pairs with something thin near either of them are
/// left alone. In three dimensions and in two.
///
/// `spacing` [cells] of the seeds is at most 1. `grid` is the substep's, after find_surface().
template <int D>
void spread_particles(const CellFrame<D>& frame, const ParticleCells<D>& cells,
                      const MacGrid<D>& grid, const Screens<D>& screens, float spacing,
                      Particles& particles);

extern template void spread_particles<2>(const CellFrame<2>&, const ParticleCells<2>&,
                                         const MacGrid<2>&, const Screens<2>&, float, Particles&);
extern template void spread_particles<3>(const CellFrame<3>&, const ParticleCells<3>&,
                                         const MacGrid<3>&, const Screens<3>&, float, Particles&);

}  // namespace sluice::fluid::grid
