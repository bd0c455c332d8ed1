// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "solver/fluid/immersed/cube_filling.h"
#include "solver/fluid/lattice/cell_frame.h"
#include "solver/fluid/liquid/mac_transfer.h"
#include "solver/fluid/obstacles/solid_faces.h"
#include "solver/scene/scene.h"

namespace sluice::fluid::grid {

/// The settings that stay the same from substep to substep.
template <int D>
struct LiquidSettings {
  CellFrame<D> frame;
  Sides<D> sides;
  Slab slab;                      ///< The plane of the grid, in 2D.
  float spacing = 0.5F;           ///< [cells] of particles
  std::vector<float> mass;        ///< [kg] of a particle, by material
  float density = 1000;           ///< [kg/m^3] that pressure and lightness are relative to
  bool is_mixed = false;          ///< Whether liquids of other densities are there, too.
  float kinematic_viscosity = 0;  ///< [m^2/s]
  Blend blend;
  scene::PressureSettings pressure;  ///< Settings for the pressure and the viscosity solver.
  scene::PathIntegrator path_integrator = scene::PathIntegrator::rk3;
};

/// Those of the liquids of a scene.
template <int D>
[[nodiscard]] LiquidSettings<D> liquid_settings_of(const scene::Scene& scene);

extern template LiquidSettings<2> liquid_settings_of<2>(const scene::Scene&);
extern template LiquidSettings<3> liquid_settings_of<3>(const scene::Scene&);

}  // namespace sluice::fluid::grid
