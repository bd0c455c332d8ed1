// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/scene/limits.h"
#include "solver/scene/problem_list.h"
#include "solver/scene/scene.h"

/// The parts of `validate`, in the order they run. Private to the room.
namespace sluice::scene {

/// Numbers of the scene and its bodies, one by one, and sizes against `limits`.
void check_values(const Scene& scene, const Limits& limits, ProblemList& problems);

/// Where fluid comes in and goes out, and what the domain's sides are to it.
void check_sources(const Scene& scene, const Limits& limits, ProblemList& problems);

/// That periodic sides do not cut the tiles of the grid that `fluid` is on, which come in pairs for
/// its multigrid.
void check_periodic_tiles(const Scene& scene, const char* fluid, ProblemList& problems);

/// What works with what: methods, fluids, solids and walls (capabilities.h).
void check_capabilities(const Scene& scene, ProblemList& problems);

/// What FLUID_SOLVER_INCOMPRESSIBLE has, and has not.
void check_incompressible(const Scene& scene, ProblemList& problems);

/// What liquids in two dimensions have, and have not.
void check_flat_liquid(const Scene& scene, ProblemList& problems);

/// That cloths are slices of bodies as deep as a flow in two dimensions, and soft bodies none.
void check_slices(const Scene& scene, ProblemList& problems);

/// That a shape is cut by the plane of a flow in two dimensions.
void check_reaches_plane(const Scene& scene, const geometry::Shape& shape, const std::string& path,
                         ProblemList& problems);

/// How pressure is solved for.
void check_pressure(const Scene& scene, ProblemList& problems);

/// The gas, its grid, and what it can't be with.
void check_gas(const Scene& scene, const Limits& limits, ProblemList& problems);

/// When something at `path` acts.
void check_times(const TimeSpan& open, const std::string& path, ProblemList& problems);

/// The placement and the sizes of one shape.
void check_shape(const geometry::Shape& shape, const std::string& path, ProblemList& problems);

/// The numbers of one rigid body, and its script.
void check_rigid_body(const RigidBody& body, const std::string& path, ProblemList& problems);

/// What a body or obstacle has in contact.
void check_contact(double friction, double restitution, const std::string& path,
                   ProblemList& problems);

/// What pairs of bodies have in contact.
void check_contact_pairs(const Scene& scene, ProblemList& problems);
void check_walls(const Scene& scene, ProblemList& problems);

/// Whether the mesh of the body at `body_path` can be built on: without an error, and not empty for
/// want of a size to fill it with or of a shape that may not be scaled.
[[nodiscard]] bool has_sound_mesh(const ProblemList& problems, const std::string& body_path);

/// As above, and it stands where it was meant to.
[[nodiscard]] bool is_placed(const ProblemList& problems, const std::string& body_path);

/// Names of bodies, pins and emitters.
void check_names(const Scene& scene, ProblemList& problems);

/// Meshes of solids and pins of cloths and soft bodies, then where solids touch.
void check_meshes(const Scene& scene, const Limits& limits, ProblemList& problems);

/// Springs between bodies.
void check_springs(const Scene& scene, ProblemList& problems);

/// Where bodies stand: solids and fluid against domain, obstacles and each other.
void check_placement(const Scene& scene, const Limits& limits, ProblemList& problems);

/// Warnings: obstacles so thin that fluids on their two sides feel each other, with MPM.
void check_thin_obstacles(const Scene& scene, ProblemList& problems);

/// That emitters are not wholly inside obstacles.
void check_emitter_places(const Scene& scene, ProblemList& problems);

/// Warnings: numbers that are allowed, but look wrong by a factor of 1000.
void check_scale(const Scene& scene, ProblemList& problems);

}  // namespace sluice::scene
