// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>

#include "solver/fluid/pressure/line_transform.h"
#include "solver/fluid/pressure/poisson.h"

namespace sluice::fluid::grid {

/// A system of cells that fill a box and all have the same weight, system.uniform(), to the cells
/// next to them. On open sides the value half a cell away is 0, so that the weight is twice that.
template <int D>
struct UniformBox {
  Cell<D> first{};  ///< The cell with the smallest coordinates: the first of a tile.
  Cell<D> count{};  ///< Number of cells along each axis.
  std::array<LineEnds, D> ends{};
};

/// Finds the box of a system; nothing if it is none. Looks at tiles until one does not fit.
template <int D>
[[nodiscard]] std::optional<UniformBox<D>> find_uniform_box(const PoissonSystem<D>& system);

extern template std::optional<UniformBox<2>> find_uniform_box(const PoissonSystem<2>&);
extern template std::optional<UniformBox<3>> find_uniform_box(const PoissonSystem<3>&);

}  // namespace sluice::fluid::grid
