// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/convert/problem_sink.h"
#include "sluice/v1/scene.pb.h"
#include "solver/scene/scene.h"

namespace sluice::convert {

/// Converts the scene's `fluid_grid`; `convert_domain` sets the walls and sides in `to`.
void convert_fluid_grid(const v1::Scene& from, scene::FluidGrid& to, ProblemSink& problems);

}  // namespace sluice::convert
