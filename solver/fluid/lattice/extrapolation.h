// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "solver/fluid/lattice/stencil.h"
#include "solver/fluid/lattice/tiles.h"

namespace sluice::fluid::grid {

/// Carries `values` outwards from the places that are `known` (not 0), a cell a layer: each gets
/// the mean of its neighbours that had values before. Places that are reached become known.
template <int D>
void extrapolate(const Tiles<D>& tiles, int layers, Array<float>& values,
                 Array<std::uint8_t>& known);

/// Does this in some tiles only, `within`, ascending.
template <int D>
void extrapolate(const Tiles<D>& tiles, std::span<const std::uint32_t> within, int layers,
                 Array<float>& values, Array<std::uint8_t>& known);

extern template void extrapolate<2>(const Tiles<2>&, int, Array<float>&, Array<std::uint8_t>&);
extern template void extrapolate<3>(const Tiles<3>&, int, Array<float>&, Array<std::uint8_t>&);
extern template void extrapolate<2>(const Tiles<2>&, std::span<const std::uint32_t>, int,
                                    Array<float>&, Array<std::uint8_t>&);
extern template void extrapolate<3>(const Tiles<3>&, std::span<const std::uint32_t>, int,
                                    Array<float>&, Array<std::uint8_t>&);

}  // namespace sluice::fluid::grid
