// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "solver/fluid/immersed/outlines_in_gas.h"
#include "solver/fluid/immersed/outlines_in_liquid.h"
#include "solver/fluid/immersed/surfaces_in_fluid.h"

namespace sluice::fluid::grid {

/// Solids that deform in a gas in D dimensions.
template <int D>
using ElasticInGas = std::conditional_t<D == 2, OutlinesInGas, SurfacesInFluid>;

/// Solids that deform in a liquid in D dimensions.
template <int D>
using ElasticInLiquid = std::conditional_t<D == 2, OutlinesInLiquid, SurfacesInFluid>;

}  // namespace sluice::fluid::grid
