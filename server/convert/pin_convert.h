// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <google/protobuf/repeated_field.h>

#include <span>
#include <string>
#include <vector>

#include "server/convert/body_budget.h"
#include "server/convert/problem_sink.h"
#include "sluice/v1/scene.pb.h"
#include "solver/scene/scene.h"

namespace sluice::convert {

using Pins = google::protobuf::RepeatedPtrField<v1::Pin>;

/// Converts the pins of a body whose vertices start at `vertices` [m]. `path` is the path of the
/// list, for example `cloths[2].pins`. Takes from `budget`.
[[nodiscard]] std::vector<scene::Pin> convert_pins(const Pins& pins_given, const std::string& path,
                                                   std::span<const Vec3> vertices,
                                                   BodyBudget& budget, ProblemSink& problems);

}  // namespace sluice::convert
