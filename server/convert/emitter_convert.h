// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "server/convert/problem_sink.h"
#include "sluice/v1/scene.pb.h"
#include "solver/scene/scene.h"

namespace sluice::convert {

/// Converts emitter number `index` of a fluid; `path`: the emitter's path, for `problems`.
[[nodiscard]] scene::Emitter convert_emitter(const v1::Emitter& emitter, std::size_t index,
                                             const std::string& path, ProblemSink& problems);

/// Converts a drain; `path`: the drain's path, for `problems`.
[[nodiscard]] scene::Drain convert_drain(const v1::Drain& drain, const std::string& path,
                                         ProblemSink& problems);

}  // namespace sluice::convert
