// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "solver/fluid/abilities.h"
#include "solver/fluid/fluid.h"

namespace sluice::fluid {

/// The gas of a scene, which fills its domain.
class Gas : public Fluid, public HasCells, public MovesSolids, public TakesStrokes {
 public:
  void commit() final {}  // Solids that deform are in its pressure: nothing is left to change.
  [[nodiscard]] double potential_energy(const Vec3& /*gravity*/) const final { return 0; }
};

/// The gas of a scene that has one, at time 0.
[[nodiscard]] std::unique_ptr<Gas> make_gas(const scene::Scene& scene);

}  // namespace sluice::fluid
