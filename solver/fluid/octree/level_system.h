// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "solver/fluid/octree/faces.h"
#include "solver/fluid/octree/tree.h"
#include "solver/fluid/pressure/poisson.h"

namespace sluice::fluid::octree {

/// The system of some cells of a level, by tile, tied where two of them have a face. `open` is of
/// the tree, `fixed` of the level.
template <int D>
[[nodiscard]] grid::PoissonSystem<D> system_of_level(const Tree<D>& tree, std::size_t level,
                                                     const std::vector<CellSet<D>>& cells,
                                                     const Faces<D, float>& open,
                                                     std::span<const float> fixed);

}  // namespace sluice::fluid::octree
