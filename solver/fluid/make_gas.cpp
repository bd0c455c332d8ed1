// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/gas.h"
#include "solver/fluid/grid/grid_gas.h"

namespace sluice::fluid {

std::unique_ptr<Gas> make_gas(const scene::Scene& scene) {
  if (scene.grid.dimensions == 2) return std::make_unique<grid::GridGas<2>>(scene);
  return std::make_unique<grid::GridGas<3>>(scene);
}

}  // namespace sluice::fluid
