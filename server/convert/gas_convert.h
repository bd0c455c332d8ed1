// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "server/convert/problem_sink.h"
#include "sluice/v1/scene.pb.h"
#include "solver/scene/gas.h"

namespace sluice::convert {

/// Converts a scene's gas. scene::validate checks the ranges of its values.
[[nodiscard]] scene::Gas convert_gas(const v1::Gas& gas, ProblemSink& problems);

/// Converts the content of a gas, at `path`. scene::validate checks the ranges of its values.
[[nodiscard]] scene::GasContent convert_content(const v1::GasContent& content,
                                                const std::string& path, ProblemSink& problems);

}  // namespace sluice::convert
