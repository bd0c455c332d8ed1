// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "server/convert/body_budget.h"
#include "server/convert/problem_sink.h"
#include "server/convert/scene_load.h"
#include "sluice/v1/scene.pb.h"
#include "solver/scene/scene.h"

namespace sluice::convert {

/// One soft body of a scene: its volume read, or its surface or shape filled, and moved to its
/// place; its pins resolved. What fails leaves an empty mesh. `path` is the body's, as
/// `soft_bodies[2]`. Takes from `budget`.
[[nodiscard]] scene::SoftBody convert_soft_body(const v1::SoftBody& body, const std::string& path,
                                                const AssetResolver& assets, BodyBudget& budget,
                                                ProblemSink& problems);

}  // namespace sluice::convert
