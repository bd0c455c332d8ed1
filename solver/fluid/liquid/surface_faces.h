// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "solver/fluid/lattice/cell_frame.h"
#include "solver/fluid/lattice/mac_grid.h"
#include "solver/fluid/liquid/particle_cells.h"

namespace sluice::fluid::grid {

/// Faces of MacGrid: not 0 on those that have a velocity.
template <int D>
using KnownFaces = typename MacGrid<D>::template Faces<std::uint8_t>;

/// Which faces have a velocity: open ones that liquid is next to, and those with particles around
/// them that are not enough to be liquid, and fly. `weights` are those of particles_to_faces().
template <int D>
void find_known(const MacGrid<D>& grid, const typename MacGrid<D>::template Faces<float>& weights,
                KnownFaces<D>& known);

/// Makes particles just beyond the surface of a liquid that stress acts on move with it. They give
/// velocities to faces there, too, which have no volume: on those gravity has acted, but no stress.
/// A block of pitch would lose its skin, which fell freely; and what shears between the two grows
/// with every transfer. Faces of cells with particles, which form a chain of at most three cells to
/// the liquid, and those of the empty cells around these, get the liquid's velocity instead, and
/// become `known`. Drops fly: between them and the liquid a cell is empty.
template <int D>
void drag_skin(const ParticleCells<D>& cells, MacGrid<D>& grid, KnownFaces<D>& known);

/// The same where no stress acts, for what rests. Particles in a cell that the surface passes below
/// the middle of are next to faces on which gravity has acted, but no pressure. They would fall by
/// themselves in each substep, and evening out would lift them again, which takes its work from
/// nowhere: still water in an empty tank, full to the middles of cells, had 17 mm/s after 10 s. In
/// chains of at most two cells, what moves as the liquid next to it does, but for some times what
/// gravity adds in a substep, goes on as that does; what is faster flies, and what is above a cell
/// of liquid that lacks half of it falls in there: a film as thin as that over a step would hang
/// above the floor, spring up and start again. `fall` [m/s] is what gravity adds. Changes
/// velocities of faces that are `known` only.
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
