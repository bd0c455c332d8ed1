// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "server/convert/scene_load.h"
#include "server/session/environment.h"

namespace sluice::api {

/// Loads a scene with the server's assets and limits, and says all that is wrong with it. Reads and
/// checks meshes: takes from milliseconds to seconds.
[[nodiscard]] convert::LoadedScene check_scene(const v1::Scene& scene,
                                               session::Environment& environment,
                                               std::vector<scene::Problem> parse_problems = {});

}  // namespace sluice::api
