// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "server/convert/body_budget.h"
#include "server/convert/problem_sink.h"
#include "server/convert/scene_load.h"
#include "sluice/v1/scene.pb.h"
#include "solver/scene/scene.h"

namespace sluice::convert {

/// One rigid body of a scene: its surface read, or its shape turned into triangles, and moved to
/// its place. What fails leaves an empty mesh. `path` is the body's, as `rigid_bodies[2]`. Takes
/// from `budget`.
[[nodiscard]] scene::RigidBody convert_rigid_body(const v1::RigidBody& body,
                                                  const std::string& path,
                                                  const AssetResolver& assets, BodyBudget& budget,
                                                  ProblemSink& problems);

}  // namespace sluice::convert
