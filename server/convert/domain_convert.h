// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/convert/problem_sink.h"
#include "sluice/v1/scene.pb.h"
#include "solver/scene/scene.h"

namespace sluice::convert {

/// Converts a scene's domain and the boundary conditions of fluid at its sides.
void convert_domain(const v1::Scene& from, scene::Scene& to, ProblemSink& problems);

}  // namespace sluice::convert
