// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/fluid/lattice/mac_grid.h"
#include "solver/fluid/pressure/poisson.h"

/// The pressure's system of a liquid with a free surface: variational [Batty2007], and by the ghost
/// fluid method at the surface [Enright2003]. PressureSolver solves it. Cells of
/// MacGrid::is_interior are no part of it: what it has of other cells ends there as at a wall.
namespace sluice::fluid::grid {

/// The part of the way to the next cell's middle, in air, that is in liquid, from the distances to
/// the surface at both ends.
[[nodiscard]] float way_to_surface(float liquid, float air);

/// The system over the cells of liquid.
template <int D>
[[nodiscard]] PoissonSystem<D> liquid_system(const MacGrid<D>& grid);

/// Sets `divergence` to minus what flows out of each cell of liquid that is an unknown, through
/// all of its faces; only in the system's solved_tiles().
template <int D>
void find_divergence(const MacGrid<D>& grid, const PoissonSystem<D>& system,
                     Array<double>& divergence);

/// Takes `scale` times the difference of `potential` across them, at most `most` of that, times
/// their lightness, off the velocities of all open faces next to liquid: the difference to the
/// surface, where it is 0, of those between liquid and air.
template <int D>
void subtract_gradient(const PoissonSystem<D>& system, const Array<float>& potential, float scale,
                       float most, MacGrid<D>& grid);

/// Gives closed faces the solids' velocities.
template <int D>
void close_faces(MacGrid<D>& grid);

extern template PoissonSystem<2> liquid_system<2>(const MacGrid<2>&);
extern template PoissonSystem<3> liquid_system<3>(const MacGrid<3>&);
extern template void find_divergence<2>(const MacGrid<2>&, const PoissonSystem<2>&, Array<double>&);
extern template void find_divergence<3>(const MacGrid<3>&, const PoissonSystem<3>&, Array<double>&);
extern template void subtract_gradient<2>(const PoissonSystem<2>&, const Array<float>&, float,
                                          float, MacGrid<2>&);
extern template void subtract_gradient<3>(const PoissonSystem<3>&, const Array<float>&, float,
                                          float, MacGrid<3>&);
extern template void close_faces<2>(MacGrid<2>&);
extern template void close_faces<3>(MacGrid<3>&);

}  // namespace sluice::fluid::grid
