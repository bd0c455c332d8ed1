// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>

#include "solver/scene/capabilities.h"
#include "solver/scene/scene.h"

/// Defaults of fields that depend on other fields of the scene. Constant ones are in the structs of
/// scene.h; defaults that need the meshes, or an estimate of cost, are in choices.h.
namespace sluice::scene {

/// [Pa] Default of Bingham::shear_modulus, for a fluid that yields at `yield_stress` [Pa].
[[nodiscard]] constexpr double default_shear_modulus(double yield_stress) {
  return 50 * yield_stress;
}

/// [Pa s] Default of Fluid::dynamic_viscosity; a fluid that yields has more than others.
[[nodiscard]] inline double default_dynamic_viscosity(FluidSolver solver,
                                                      const FluidMaterial& material) {
  if (std::holds_alternative<Bingham>(material)) return 1;
  return row_of(solver).dynamic_viscosity;
}

}  // namespace sluice::scene
