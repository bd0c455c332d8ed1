// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "server/convert/body_budget.h"
#include "server/convert/problem_sink.h"
#include "server/convert/scene_load.h"
#include "sluice/v1/scene.pb.h"
#include "solver/scene/scene.h"

namespace sluice::convert {

/// Converts one rigid body: reads its surface, or turns its shape into triangles, and moves it to
/// its place. After an error its mesh is empty. `path` is the body's path, for example
/// `rigid_bodies[2]`. Takes from `budget`.
[[nodiscard]] scene::RigidBody convert_rigid_body(const v1::RigidBody& body,
                                                  const std::string& path,
                                                  const AssetResolver& assets, BodyBudget& budget,
                                                  ProblemSink& problems);

}  // namespace sluice::convert
