// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "solver/fluid/mpm/grid.h"
#include "solver/fluid/mpm/material.h"
#include "solver/fluid/mpm/particle_blocks.h"
#include "solver/fluid/mpm/pressed_cells.h"
#include "solver/fluid/particles/particles.h"
#include "solver/fluid/push.h"

namespace sluice::fluid {

/// The inputs that all transfers of one substep have in common.
struct Substep {
  float duration;  ///< [s] h
  Vec3f gravity;   ///< [m/s^2]
  std::span<const Push> pushes;
  std::span<const Material> materials;
  const GridFrame& frame;
  float nodes_per_volume;       ///< [1/m^3] of the grid: a node's mass times this is a density
  const PressedCells& pressed;  ///< Cells where a gather finds too low a density.
  scene::WallCondition wall = scene::WallCondition::slip;
};

/// Scatters the particles' momentum and mass to `grid`, which is active for `blocks` and zero.
/// Forces are included: gravity and pushes as h a, stress as an affine momentum ([Hu2018] equation
/// 16 with section 3.2's D).
void particles_to_grid(const Substep& step, scene::Kernel kernel, const Particles& particles,
                       const ParticleBlocks& blocks, Grid& grid);

/// The result of a gather.
struct GatherReport {
  float least_strain = 0;        ///< The least J - 1 that a liquid has now; 0 if none is below.
  float wave_speed_squared = 0;  ///< [m^2/s^2] The largest of jelly, sand and snow.
  bool is_finite = true;         ///< Whether every number gathered is.
};

[[nodiscard]] inline GatherReport both(const GatherReport& a, const GatherReport& b) noexcept {
  return {a.least_strain < b.least_strain ? a.least_strain : b.least_strain,
          a.wave_speed_squared > b.wave_speed_squared ? a.wave_speed_squared : b.wave_speed_squared,
          a.is_finite && b.is_finite};
}

/// Gathers from the velocities of `grid` the particles' velocities and C ([Jiang2015] section 5.3),
/// updates J by tr C, and sets targets: positions + h velocities, kept inside the walls, which stop
/// the velocity across them. Obstacles come after: leave_obstacles(). Walls turn what is not a
/// finite number into one: the report says whether there was any.
GatherReport grid_to_particles(const Substep& step, scene::Kernel kernel, Grid& grid,
                               const ParticleBlocks& blocks, Particles& particles);

}  // namespace sluice::fluid
