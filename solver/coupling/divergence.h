// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "solver/result.h"
#include "solver/types.h"

namespace sluice::coupling {

/// Returns the index of the first element that is not finite as float (frames are), or -1. The same
/// for any number of threads.
[[nodiscard]] std::int64_t first_not_finite(std::span<const Vec3> values);

/// Returns `solver_diverged` for a body whose motion is no longer finite.
[[nodiscard]] Error diverged(const std::string& body, const char* cause);

}  // namespace sluice::coupling
