// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "server/convert/problem_sink.h"
#include "sluice/v1/scene.pb.h"
#include "solver/scene/scene.h"

namespace sluice::convert {

/// The fluid's emitter `index`; `path`: its own, for `problems`.
[[nodiscard]] scene::Emitter convert_emitter(const v1::Emitter& emitter, std::size_t index,
                                             const std::string& path, ProblemSink& problems);

/// `path`: the drain's.
[[nodiscard]] scene::Drain convert_drain(const v1::Drain& drain, const std::string& path,
                                         ProblemSink& problems);

}  // namespace sluice::convert
