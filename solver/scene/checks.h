// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/scene/limits.h"
#include "solver/scene/problem_list.h"
#include "solver/scene/scene.h"

/// The parts of `validate`, in the order they run. Private to the room.
namespace sluice::scene {

/// Numbers of the scene and its bodies, one by one, and sizes against `limits`.
void check_values(const Scene& scene, const Limits& limits, ProblemList& problems);

/// Names of bodies and pins.
void check_names(const Scene& scene, ProblemList& problems);

/// Each cloth's mesh and pins, then where cloths touch.
void check_meshes(const Scene& scene, const Limits& limits, ProblemList& problems);

/// Where bodies stand: cloth and fluid against domain, obstacles and each other.
void check_placement(const Scene& scene, const Limits& limits, ProblemList& problems);

/// Warnings: numbers that are allowed, but look wrong by a factor of 1000.
void check_scale(const Scene& scene, ProblemList& problems);

}  // namespace sluice::scene
