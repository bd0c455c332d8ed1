// SPDX-License-Identifier: Apache-2.0
#include "client/render/particle_spacing.h"

namespace sluice::render {

double particle_spacing(const v1::Scene& scene) {
  const v1::FluidGrid& grid = scene.fluid_grid();
  return grid.cell_size() / (grid.has_particles_per_axis() ? grid.particles_per_axis() : 2);
}

}  // namespace sluice::render
