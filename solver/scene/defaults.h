// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>

#include "solver/scene/scene.h"

/// Defaults of fields that depend on other fields of the scene. Constant ones are in the structs of
/// scene.h; defaults that need the meshes, or an estimate of cost, are in choices.h.
namespace sluice::scene {

/// Cells that the flow of incompressible liquids and of gas may cross in a substep: FluidGrid::cfl.
inline constexpr double incompressible_cfl = 2;

/// [Pa] Default of Bingham::shear_modulus, for a fluid that yields at `yield_stress` [Pa].
[[nodiscard]] constexpr double default_shear_modulus(double yield_stress) {
  return 50 * yield_stress;
}

/// [Pa s] Default of Fluid::dynamic_viscosity: water's; a fluid that yields has more;
/// incompressible liquids have none unless the scene says so, for it costs a solve of its own.
[[nodiscard]] inline double default_dynamic_viscosity(FluidSolver solver,
                                                      const FluidMaterial& material) {
  if (std::holds_alternative<Bingham>(material)) return 1;
  return solver == FluidSolver::incompressible ? 0 : 1e-3;
}

}  // namespace sluice::scene
