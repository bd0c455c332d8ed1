// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "solver/scene/scene.h"

namespace sluice::simulation {

/// A number that two scenes share if they lead to the same frames: everything in the scene but its
/// name, its camera and how many frames it wants.
[[nodiscard]] std::uint64_t fingerprint(const scene::Scene& scene);

}  // namespace sluice::simulation
