// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "server/convert/body_budget.h"
#include "server/convert/problem_sink.h"
#include "server/convert/scene_load.h"
#include "sluice/v1/scene.pb.h"
#include "solver/scene/scene.h"

namespace sluice::convert {

/// Converts one cloth: reads or builds its mesh, moves it to its place and resolves its pins. After
/// an error its mesh is empty. `path`: the cloth's path, as `cloths[2]`. Takes from `budget`.
[[nodiscard]] scene::Cloth convert_cloth(const v1::Cloth& cloth, const std::string& path,
                                         const AssetResolver& assets, BodyBudget& budget,
                                         ProblemSink& problems);

}  // namespace sluice::convert
