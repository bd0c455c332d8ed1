// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "client/render/cell_lattice.h"
#include "client/render/vector.h"

namespace sluice::render {

/// Returns the amount of gas between the middle of each cell and a distant light: the integral of
/// `density` along the way, in metres of density 1.
///
/// `to_light`: unit vector. Goes through the layers of cells from where light comes in. A cell
/// takes the mean of the four cells around the point where its light crosses the layer before,
/// which softens shadows with distance. Exact for a uniform density, except near sides by which
/// light enters at a slant. The result does not depend on the number of threads.
[[nodiscard]] std::vector<float> gas_before_light(const CellLattice& lattice,
                                                  std::span<const float> density,
                                                  const Float3& to_light, int thread_count);

}  // namespace sluice::render
