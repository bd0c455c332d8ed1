// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "solver/scene/scene.h"

namespace sluice::simulation {

/// Returns a number that two scenes share if they lead to the same frames: a checksum of everything
/// in the scene but its name and its number of frames.
[[nodiscard]] std::uint64_t fingerprint(const scene::Scene& scene);

}  // namespace sluice::simulation
