// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "solver/fluid/mpm/grid.h"
#include "solver/fluid/mpm/material.h"
#include "solver/fluid/mpm/particle_blocks.h"
#include "solver/fluid/particles/particles.h"

namespace sluice::fluid {

/// The volume that particles fill around nodes, where fluids of several densities or kinds share a
/// grid: there a node's mass does not tell how crowded particles are, which the density feedback
/// needs. Liquids fill their volumes at rest; jelly, sand and snow the volume that they have been
/// pressed to, and no more than at rest.
class FilledVolume {
 public:
  /// Finds the volumes for the particles in `blocks`, with the images at walls and with the copies
  /// of nodes that `grid` has.
  void find(const GridFrame& frame, scene::Kernel kernel, scene::WallCondition wall,
            std::span<const Material> materials, const Particles& particles,
            const ParticleBlocks& blocks, Grid& grid);

  /// Replaces the masses of `grid`'s nodes by these volumes [m^3]; a second call puts the masses
  /// back.
  void exchange(Grid& grid);

 private:
  Grid volumes_;  // Each node is (0, 0, 0, volume).
};

}  // namespace sluice::fluid
