// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/convert/problem_sink.h"
#include "sluice/v1/scene.pb.h"
#include "solver/scene/scene.h"

namespace sluice::convert {

/// The domain of a scene, and what its sides are to fluid.
void convert_domain(const v1::Scene& from, scene::Scene& to, ProblemSink& problems);

}  // namespace sluice::convert
