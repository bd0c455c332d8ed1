// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "server/convert/problem_sink.h"
#include "sluice/v1/scene.pb.h"
#include "solver/scene/gas.h"

namespace sluice::convert {

/// The gas that `gas` describes. Ranges are scene::validate's.
[[nodiscard]] scene::Gas convert_gas(const v1::Gas& gas, ProblemSink& problems);

/// What there is of a gas, at `path`. Ranges are scene::validate's.
[[nodiscard]] scene::GasContent convert_content(const v1::GasContent& content,
                                                const std::string& path, ProblemSink& problems);

}  // namespace sluice::convert
