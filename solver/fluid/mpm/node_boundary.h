// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/fluid/lattice/grid_frame.h"
#include "solver/fluid/mpm/grid.h"
#include "solver/fluid/mpm/grid_sides.h"
#include "solver/fluid/mpm/obstacle_nodes.h"
#include "solver/fluid/mpm/particle_blocks.h"
#include "solver/fluid/mpm/transfers.h"
#include "solver/fluid/particles/boundary.h"
#include "solver/fluid/particles/particles.h"
#include "solver/scene/scene.h"

/// The boundary conditions of walls and obstacles on the nodes of MPM's grid.
///
/// A wall is a mirror: the nodes behind it carry the image of the fluid before it, whose velocity
/// is reflected (slip: the component along the normal changes sign; no_slip: all do, so that it is
/// 0 on the wall). Kernels are then never cut off at a wall, and water at rest has the same
/// pressure and density there as anywhere. At a periodic side the nodes around it are those around
/// the side opposite; at an open one nothing is done. An obstacle acts on the nodes inside it, by
/// ObstacleNodes; where it has friction, or sides are periodic, it stops each node by itself, in
/// its own frame (ObstacleNodes does so with copies behind something thin): slip removes the
/// velocity into the obstacle and leaves velocity out of it; no_slip removes all.
///
/// An obstacle's friction is Coulomb's law for each node: the velocity along the surface changes by
/// at most the coefficient times the change of that across it.
namespace sluice::fluid {

/// Between the transfers of a substep: turns the momenta of `grid` into velocities that respect
/// walls and obstacles, the latter by `obstacle_nodes`. The domain's walls let go of nodes that are
/// not `held`.
void solve_nodes(const Substep& step, const Boundary& boundary, const HeldNodes& held,
                 ObstacleNodes& obstacle_nodes, Grid& grid);

/// Adds the images behind walls to the masses of `grid`, as solve_nodes does; its momenta must be
/// 0.
void image_masses(const GridFrame& frame, scene::WallCondition wall, Grid& grid);

/// Moves the targets of all particles, which `blocks` was made of, out of obstacles, and before
/// those on their paths of `h` [s]; and sets the velocities that go with them.
void leave_obstacles(float h, const Boundary& boundary, const ParticleBlocks& blocks,
                     Particles& particles);

}  // namespace sluice::fluid
