// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/fluid/lattice/mac_grid.h"

namespace sluice::fluid::grid {

/// For liquids of several densities: turns `grid.lightness` and `weights`, as particles_to_faces()
/// leaves them, into the lightness that MacGrid describes. `mass` is that of a cell full of liquid
/// of lightness 1.
///
/// So what pressure adds to a face's velocity, lightness times its difference, is the same force on
/// the particles there whatever they are: momentum is kept as well as in one liquid. Means of the
/// cells' densities lost 15 % of it where one block of liquid stopped another, 20 times as light.
template <int D>
void find_lightness(float mass, const typename MacGrid<D>::template Faces<float>& weights,
                    MacGrid<D>& grid);

extern template void find_lightness<2>(float, const MacGrid<2>::Faces<float>&, MacGrid<2>&);
extern template void find_lightness<3>(float, const MacGrid<3>::Faces<float>&, MacGrid<3>&);

}  // namespace sluice::fluid::grid
