// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "solver/scene/limits.h"
#include "solver/scene/problem.h"
#include "solver/scene/scene.h"

namespace sluice::scene {

/// Finds everything that is wrong with `scene`: an empty answer, or one with warnings only, means
/// that it can be run.
///
/// Checks the ranges that proto/sluice/v1/scene.proto documents; names; meshes (finite vertices,
/// indices, triangles that are degenerate, doubled or wound against a neighbour, exact
/// intersections of solids with each other and with themselves); that the surfaces of rigid bodies
/// are closed and face outwards; that solids start inside the domain, outside obstacles and outside
/// rigid bodies; that each fluid region gives particles, inside the domain and no closer to a
/// cloth than contact keeps them; `limits`. Warns of numbers that look wrong by a factor of 1000.
///
/// `known` are problems that were found before, while the scene was made from something else. The
/// answer begins with them; nothing more is told of a field that has an error there, and checks
/// that build on such a field are left out.
///
/// Paths are those of sluice.v1.Scene, so that a person finds the field that was typed. Where a
/// struct's member has another name there, the path is the proto's:
///
///     domain_lower, domain_upper, grid.wall   domain.lower, domain.upper, domain.wall
///     frame_count, frame_rate                 timing.frame_count, timing.frames_per_second
///     coupling.max_substep                    timing.max_substep_seconds
///     grid.cfl, grid.*                        fluid_grid.cfl_number, fluid_grid.*
///     Box::half_extents in a shape            shape.box.size (full edges)
///     Capsule, Cylinder::half_length          shape.capsule.length (full length)
///     translation, rotation of a shape        shape.transform
///     rigid_bodies[i].script[k].time          rigid_bodies[i].script[k].time_seconds
///     cloths[i].mesh                          cloths[i].mesh; server/convert renames it to
///                                             cloths[i].grid for a sheet that was given as one
///
/// Cost: linear in the vertices and in the surface of the fluids counted in seeds, n log n for
/// intersections. Checks that would be meaningless or too large after an error are left out, so
/// hostile input costs a few seconds at most, and memory in proportion to `scene`.
[[nodiscard]] std::vector<Problem> validate(const Scene& scene, const Limits& limits = {},
                                            std::vector<Problem> known = {});

/// Returns the problems of one shape's numbers, at `path` as in `Scene`.
[[nodiscard]] std::vector<Problem> validate_shape(const geometry::Shape& shape,
                                                  const std::string& path);

/// Returns the problems of content that is painted into a gas, at `path`.
[[nodiscard]] std::vector<Problem> validate_content(const GasContent& content, const Gas& gas,
                                                    const std::string& path);

}  // namespace sluice::scene
