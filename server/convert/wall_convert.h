// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "server/convert/problem_sink.h"
#include "sluice/v1/scene.pb.h"
#include "solver/scene/scene.h"

namespace sluice::convert {

/// Converts the boundary condition of fluid at the domain's sides or at a body's surface.
[[nodiscard]] scene::WallCondition convert_wall(v1::WallCondition wall, const std::string& path,
                                                ProblemSink& problems);

}  // namespace sluice::convert
