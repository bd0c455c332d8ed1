// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "server/convert/body_budget.h"
#include "server/convert/problem_sink.h"
#include "server/convert/scene_load.h"
#include "sluice/v1/scene.pb.h"
#include "solver/scene/scene.h"

namespace sluice::convert {

/// Converts one soft body: reads its volume, or fills its surface or shape, moves it to its place
/// and resolves its pins. After an error its mesh is empty. `path` is the body's path, for example
/// `soft_bodies[2]`. Takes from `budget`.
[[nodiscard]] scene::SoftBody convert_soft_body(const v1::SoftBody& body, const std::string& path,
                                                const AssetResolver& assets, BodyBudget& budget,
                                                ProblemSink& problems);

}  // namespace sluice::convert
