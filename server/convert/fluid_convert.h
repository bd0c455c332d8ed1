// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "server/convert/problem_sink.h"
#include "sluice/v1/scene.pb.h"
#include "solver/scene/scene.h"

namespace sluice::convert {

/// Converts one fluid, which `solver` will simulate; `path`: the fluid's path, for `problems`.
[[nodiscard]] scene::Fluid convert_fluid(const v1::Fluid& fluid, scene::FluidSolver solver,
                                         const std::string& path, ProblemSink& problems);

}  // namespace sluice::convert
