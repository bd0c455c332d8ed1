// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "client/render/cell_lattice.h"
#include "client/render/vector.h"

namespace sluice::render {

/// How much gas is between the middle of each cell and a distant light: the integral of `density`
/// along the way, in metres of density 1.
///
/// `to_light`: unit vector. From layer to layer of cells, beginning where light comes in, each from
/// the four cells around the place that it goes through in the layer before, which softens shadows
/// with their distance; exact for a density that is the same everywhere, but near the sides that
/// light comes in by aslant. The same for any number of threads.
[[nodiscard]] std::vector<float> gas_before_light(const CellLattice& lattice,
                                                  std::span<const float> density,
                                                  const Float3& to_light, int thread_count);

}  // namespace sluice::render
