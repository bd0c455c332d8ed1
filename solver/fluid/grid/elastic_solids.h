// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "solver/fluid/grid/elastic_boundary.h"
#include "solver/fluid/grid/elastic_surface.h"

namespace sluice::fluid::grid {

/// Solids that deform in a fluid in D dimensions.
template <int D>
using ElasticSolids = std::conditional_t<D == 2, ElasticBoundary, ElasticSurface>;

}  // namespace sluice::fluid::grid
