// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/render/shading.h"

namespace sluice::render {

/// What is seen at a point of the picture.
struct SurfacePoint {
  enum class Kind { background, ground, triangle, sphere };
  Kind kind{Kind::background};
  Float3 position{};  ///< In the world, metres.
  Float3 normal{};    ///< Unit, towards the eye.
  Float3 colour{};    ///< Linear.
  float gloss{0};
  float depth{0};  ///< Along the view, metres.
};

/// Depth of the ground along `ray`, which has a component of 1 along the view; negative if the ray
/// does not come down to it.
[[nodiscard]] float ground_depth(const ShadingInput& input, const Float3& ray);

/// Finds the surface point of primitive `id` under the centre of sample (x, y), or of whatever lies
/// behind it where the primitive is hidden by the ground.
[[nodiscard]] SurfacePoint find_surface(const ShadingInput& input, std::uint32_t id, float x,
                                        float y);

}  // namespace sluice::render
