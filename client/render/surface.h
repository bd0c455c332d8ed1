// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/render/shading.h"

namespace sluice::render {

/// The surface that is seen at a point of the picture.
struct SurfacePoint {
  enum class Kind { background, ground, triangle, sphere };
  Kind kind{Kind::background};
  Float3 position{};  ///< Position in the world, in metres.
  Float3 normal{};    ///< Unit normal towards the eye.
  Float3 colour{};    ///< Linear colour.
  float gloss{0};
  float depth{0};  ///< Depth along the view, in metres.
};

/// Returns the depth of the ground along `ray`, which has a component of 1 along the view; negative
/// if the ray does not meet the ground.
[[nodiscard]] float ground_depth(const ShadingInput& input, const Float3& ray);

/// Finds the point of primitive `id` that is seen at (x, y), in samples; if there is no primitive
/// or the ground hides it, the point of the ground or the background.
[[nodiscard]] SurfacePoint find_surface(const ShadingInput& input, std::uint32_t id, float x,
                                        float y);

}  // namespace sluice::render
