// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/convert/problem_sink.h"
#include "sluice/v1/scene.pb.h"
#include "solver/scene/scene.h"

namespace sluice::convert {

/// The grid of the fluids, and how they flow on it; but for what the domain says of it.
void convert_fluid_grid(const v1::Scene& from, scene::FluidGrid& to, ProblemSink& problems);

}  // namespace sluice::convert
