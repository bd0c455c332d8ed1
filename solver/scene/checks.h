// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/scene/limits.h"
#include "solver/scene/problem_list.h"
#include "solver/scene/scene.h"

/// The parts of `validate`, in the order they run. Private to the room.
namespace sluice::scene {

/// Checks the numbers of the scene and its bodies, one by one, and sizes against `limits`.
void check_values(const Scene& scene, const Limits& limits, ProblemList& problems);

/// Checks where fluid comes in and goes out, and what the domain's sides are to it.
void check_sources(const Scene& scene, const Limits& limits, ProblemList& problems);

/// Checks that periodic sides do not cut the tiles of the grid that `fluid` is on, which come in
/// pairs for its multigrid.
void check_periodic_tiles(const Scene& scene, const char* fluid, ProblemList& problems);

/// Checks the combination of methods, fluids, solids and walls (capabilities.h).
void check_capabilities(const Scene& scene, ProblemList& problems);

/// Checks that a scene asks of FLUID_SOLVER_INCOMPRESSIBLE only what that has.
void check_incompressible(const Scene& scene, ProblemList& problems);

/// Checks that a scene with liquids in two dimensions asks only for what these have.
void check_flat_liquid(const Scene& scene, ProblemList& problems);

/// Checks that cloths are slices of bodies as deep as a flow in two dimensions; no soft bodies.
void check_slices(const Scene& scene, ProblemList& problems);

/// Checks that a shape is cut by the plane of a flow in two dimensions.
void check_reaches_plane(const Scene& scene, const geometry::Shape& shape, const std::string& path,
                         ProblemList& problems);

/// Checks the settings of the solver for pressure.
void check_pressure(const Scene& scene, ProblemList& problems);

/// Checks the gas, its grid, and that the scene has nothing that can't be with it.
void check_gas(const Scene& scene, const Limits& limits, ProblemList& problems);

/// Checks a place in a gas: the shape, and that some of it is where the gas is.
void check_place(const Scene& scene, const geometry::Shape& shape, const std::string& path,
                 ProblemList& problems);

/// Checks a grid of cells of many sizes, and that the scene asks only for what that has.
void check_adaptive(const Scene& scene, ProblemList& problems);

/// Checks the times at which something at `path` acts.
void check_times(const TimeSpan& open, const std::string& path, ProblemList& problems);

/// Checks the placement and the sizes of one shape.
void check_shape(const geometry::Shape& shape, const std::string& path, ProblemList& problems);

/// Checks the numbers of one rigid body, and its script.
void check_rigid_body(const RigidBody& body, const std::string& path, ProblemList& problems);

/// Checks the contact coefficients of a body, an obstacle or a pair.
void check_contact(double friction, double restitution, const std::string& path,
                   ProblemList& problems);

/// Checks the pairs of bodies that have contact coefficients of their own.
void check_contact_pairs(const Scene& scene, ProblemList& problems);
void check_walls(const Scene& scene, ProblemList& problems);

/// Whether the mesh of the body at `body_path` can be built on: without an error, and not empty for
/// want of a size to fill it with or of a shape that may not be scaled.
[[nodiscard]] bool has_sound_mesh(const ProblemList& problems, const std::string& body_path);

/// Whether the mesh is sound in this sense, and stands where it was meant to.
[[nodiscard]] bool is_placed(const ProblemList& problems, const std::string& body_path);

/// Checks the names of bodies, pins and emitters.
void check_names(const Scene& scene, ProblemList& problems);

/// Checks meshes of solids and pins of cloths and soft bodies, then where solids touch.
void check_meshes(const Scene& scene, const Limits& limits, ProblemList& problems);

/// Checks springs between bodies.
void check_springs(const Scene& scene, ProblemList& problems);

/// Checks where bodies stand: solids and fluid against domain, obstacles and each other.
void check_placement(const Scene& scene, const Limits& limits, ProblemList& problems);

/// Warns of obstacles that are so thin that fluids on their two sides feel each other, with MPM
/// in a domain with periodic sides.
void check_thin_obstacles(const Scene& scene, ProblemList& problems);

/// Checks that emitters are not wholly inside obstacles.
void check_emitter_places(const Scene& scene, ProblemList& problems);

/// Warns of numbers that are allowed, but look wrong by a factor of 1000.
void check_scale(const Scene& scene, ProblemList& problems);

}  // namespace sluice::scene
