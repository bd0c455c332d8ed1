// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/fluid/lattice/grid_frame.h"
#include "solver/fluid/mpm/grid.h"
#include "solver/fluid/mpm/grid_sides.h"
#include "solver/fluid/mpm/obstacle_nodes.h"
#include "solver/fluid/mpm/particle_blocks.h"
#include "solver/fluid/particles/boundary.h"
#include "solver/fluid/particles/particles.h"
#include "solver/scene/scene.h"

/// What the walls of the domain and the obstacles do to the nodes of MPM's grid.
///
/// A wall is a mirror: the nodes behind it carry the image of the fluid before it, whose velocity
/// is reflected (slip: the component along the normal changes sign; no_slip: all do, so that it is
/// 0 on the wall). Kernels are then never cut off at a wall, and water at rest has the same
/// pressure and density there as anywhere. At a periodic side the nodes around it are those around
/// the side opposite; at an open one nothing is done. An obstacle acts on the nodes inside it, by
/// ObstacleNodes; where it has friction, or sides are periodic, each of them by itself, on velocity
/// relative to its own: slip removes velocity into it and leaves velocity out of it; no_slip
/// removes all.
///
/// Friction of an obstacle is Coulomb's law for each node: what stops it across the surface takes
/// at most as much times the coefficient from what it has along it.
namespace sluice::fluid {

/// Between the transfers, in a substep of `h` seconds: momenta of `grid` become velocities that
/// respect walls and obstacles, the latter by `obstacle_nodes`. `wall` is the condition at the
/// domain's walls, which let go of nodes that are not `held`.
void solve_nodes(float h, const Boundary& boundary, scene::WallCondition wall,
                 const HeldNodes& held, ObstacleNodes& obstacle_nodes, Grid& grid);

/// The masses of `grid` as solve_nodes makes them, images behind walls with them; its momenta must
/// be none.
void image_masses(const GridFrame& frame, scene::WallCondition wall, Grid& grid);

/// The targets of all particles, which `blocks` was made of, outside of obstacles and before those
/// that are in their ways of `h` [s], and the velocities that go with them.
void leave_obstacles(float h, const Boundary& boundary, const ParticleBlocks& blocks,
                     Particles& particles);

}  // namespace sluice::fluid
