// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "solver/fluid/lattice/cell_frame.h"
#include "solver/fluid/lattice/mac_grid.h"
#include "solver/fluid/liquid/particle_cells.h"

namespace sluice::fluid::grid {

/// Flags of a MacGrid's faces: not 0 where a velocity is known.
template <int D>
using KnownFaces = typename MacGrid<D>::template Faces<std::uint8_t>;

/// Finds the faces with a known velocity: open ones next to liquid, or near particles that are too
/// few to be liquid, and fly. `weights` are the masses from particles_to_faces().
template <int D>
void find_known(const MacGrid<D>& grid, const typename MacGrid<D>::template Faces<float>& weights,
                KnownFaces<D>& known);

/// Makes particles just beyond the surface move with the liquid where viscous stress acts on it.
/// They give velocities to faces beyond it, which have no volume: on those gravity has acted, but
/// no stress. A block of pitch would lose its skin, which fell freely, and the shear between the
/// two would grow with every transfer. Faces of cells with particles that form a chain of at most
/// three cells to the liquid, and of the empty cells around these, get the liquid's velocity
/// instead, and become `known`. Drops fly: between them and the liquid a cell is empty.
template <int D>
void drag_skin(const ParticleCells<D>& cells, MacGrid<D>& grid, KnownFaces<D>& known);

/// Makes resting particles just beyond the surface stay with a liquid without viscous stress. A
/// cell whose middle is above the surface has particles next to faces on which gravity has acted,
/// but no pressure. They would fall by themselves in each substep, and evening out would lift them
/// again, with energy from nowhere: still water in an empty tank, full to the middles of cells, had
/// 17 mm/s after 10 s. In chains of at most two cells, particles whose velocity differs from the
/// liquid's by less than a few times `fall` get the liquid's; faster ones fly, and those above a
/// liquid cell that lacks half of its liquid fall into it: a film as thin as that over a step would
/// hang above the floor, spring up and start again. `fall` [m/s] is what gravity adds in a substep.
/// Changes only velocities of `known` faces.
template <int D>
void rest_skin(const ParticleCells<D>& cells, const Vec<D>& fall, const KnownFaces<D>& known,
               MacGrid<D>& grid);

extern template void find_known<2>(const MacGrid<2>&, const MacGrid<2>::Faces<float>&,
                                   KnownFaces<2>&);
extern template void find_known<3>(const MacGrid<3>&, const MacGrid<3>::Faces<float>&,
                                   KnownFaces<3>&);
extern template void drag_skin<2>(const ParticleCells<2>&, MacGrid<2>&, KnownFaces<2>&);
extern template void drag_skin<3>(const ParticleCells<3>&, MacGrid<3>&, KnownFaces<3>&);
extern template void rest_skin<2>(const ParticleCells<2>&, const Vec<2>&, const KnownFaces<2>&,
                                  MacGrid<2>&);
extern template void rest_skin<3>(const ParticleCells<3>&, const Vec<3>&, const KnownFaces<3>&,
                                  MacGrid<3>&);

}  // namespace sluice::fluid::grid
