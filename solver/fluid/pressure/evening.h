// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/fluid/lattice/mac_grid.h"
#include "solver/fluid/pressure/poisson.h"

/// What evens out the density of a liquid's particles: moving them, and nothing else, by a
/// potential whose source is what is too dense or too thin [Kugelstadt2021].
namespace sluice::fluid::grid {

/// The potential is solved for to this relative residual, in at most so many iterations.
inline constexpr double evening_tolerance = 0.05;
inline constexpr int most_evening_iterations = 10;

/// [cells] It moves particles at most so far in a substep.
inline constexpr float most_evening_way = 0.25F;

/// Sets `excess` to how much too dense each unknown of the liquid's system is; inside, also how
/// much too thin. At a surface a low density says where that is. 0 elsewhere. `spacing` [cells] of
/// the seeds: see PressureSolver::even_out().
template <int D>
void find_excess(const MacGrid<D>& grid, const PoissonSystem<D>& system, float spacing,
                 Array<double>& excess);

extern template void find_excess<2>(const MacGrid<2>&, const PoissonSystem<2>&, float,
                                    Array<double>&);
extern template void find_excess<3>(const MacGrid<3>&, const PoissonSystem<3>&, float,
                                    Array<double>&);

}  // namespace sluice::fluid::grid
