// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/fluid/lattice/mac_grid.h"

namespace sluice::fluid::grid {

/// For liquids of several densities: turns `grid.lightness` and `weights`, as particles_to_faces()
/// leaves them, into the lightness that MacGrid describes. `mass` is that of a cell full of liquid
/// of lightness 1.
///
/// Pressure adds its difference times this lightness to a face's velocity. That is the same force
/// on the particles there, light or heavy, so momentum is kept as well as in one liquid. With means
/// of the cells' densities instead, 15 % of the momentum was lost where one block of liquid stopped
/// another that was 20 times as light.
template <int D>
void find_lightness(float mass, const typename MacGrid<D>::template Faces<float>& weights,
                    MacGrid<D>& grid);

extern template void find_lightness<2>(float, const MacGrid<2>::Faces<float>&, MacGrid<2>&);
extern template void find_lightness<3>(float, const MacGrid<3>::Faces<float>&, MacGrid<3>&);

}  // namespace sluice::fluid::grid
