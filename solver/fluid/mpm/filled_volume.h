// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "solver/fluid/mpm/grid.h"
#include "solver/fluid/mpm/material.h"
#include "solver/fluid/mpm/particle_blocks.h"
#include "solver/fluid/particles/particles.h"

namespace sluice::fluid {

/// What particles fill of the nodes' volumes, where fluids of several densities or kinds share a
/// grid: there a node's mass does not tell how crowded particles are, which the density feedback
/// asks for. Liquids fill their volumes at rest; jelly, sand and snow what they have been pressed
/// to, and no more than at rest.
class FilledVolume {
 public:
  /// Finds it for the particles in `blocks`, with the walls and the copies of nodes that `grid` is
  /// active with.
  void find(const GridFrame& frame, scene::Kernel kernel, scene::WallCondition wall,
            std::span<const Material> materials, const Particles& particles,
            const ParticleBlocks& blocks, Grid& grid);

  /// Gives the nodes of `grid` these volumes [m^3] in the place of their masses; the second time,
  /// their masses back.
  void exchange(Grid& grid);

 private:
  Grid volumes_;  // Of each node (0, 0, 0, volume).
};

}  // namespace sluice::fluid
