// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sluice/v1/scene_check.pb.h"

namespace sluice::api {

/// Loads a scene with the server's assets and limits, and reports all of its problems. It reads and
/// checks meshes and takes from milliseconds to minutes, so it runs in a process of its own
/// (scene_check_process.h).
[[nodiscard]] v1::SceneCheckResponse check_scene(const v1::SceneCheckRequest& request);

}  // namespace sluice::api
