// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "solver/fluid/immersed/elastic_boundary.h"
#include "solver/fluid/immersed/elastic_slices.h"
#include "solver/fluid/immersed/elastic_surface.h"

namespace sluice::fluid::grid {

/// Solids that deform in a gas in D dimensions.
template <int D>
using ElasticInGas = std::conditional_t<D == 2, ElasticBoundary, ElasticSurface>;

/// Solids that deform in a liquid in D dimensions.
template <int D>
using ElasticInLiquid = std::conditional_t<D == 2, ElasticSlices, ElasticSurface>;

}  // namespace sluice::fluid::grid
