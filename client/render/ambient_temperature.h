// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sluice/v1/scene.pb.h"

namespace sluice::render {

/// Returns the ambient temperature of a scene's gas, in kelvin, or its documented default.
[[nodiscard]] inline float ambient_temperature(const v1::Scene& scene) {
  constexpr float not_given = 293.15F;  // scene.proto
  const v1::Gas& gas = scene.gas();
  return gas.has_ambient_temperature() ? static_cast<float>(gas.ambient_temperature()) : not_given;
}

}  // namespace sluice::render
