// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sluice/v1/scene.pb.h"

namespace sluice::render {

/// Returns the distance of a scene's fluid particles at rest, in metres; 0 without a fluid grid.
[[nodiscard]] double particle_spacing(const v1::Scene& scene);

}  // namespace sluice::render
