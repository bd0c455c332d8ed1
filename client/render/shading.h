// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/render/camera.h"
#include "client/render/draw_list.h"
#include "client/render/gas_plate.h"
#include "client/render/gas_volume.h"
#include "client/render/image.h"
#include "client/render/raster.h"
#include "client/render/shadow.h"
#include "client/render/stage.h"

namespace sluice::render {

/// Everything that the colour of a sample depends on.
struct ShadingInput {
  const DrawList& list;
  const View& view;  ///< In samples of `visibility`.
  const VisibilityBuffer& visibility;
  const ShadowMap& shadow;
  const Stage& stage;
  Float3 to_light;                 ///< Unit vector.
  const GasVolume* gas{nullptr};   ///< Null without one.
  const GasPlate* plate{nullptr};  ///< Null without a flat one.
};

/// Samples along each axis of a pixel.
inline constexpr int samples_per_axis = 2;

/// Shades the visible surfaces: a sun with soft shadows, light from the sky less what is occluded
/// nearby, and a ground that fades into the background; before them the gas. `visibility` has
/// `samples_per_axis` squared samples a pixel, which are averaged.
[[nodiscard]] Image shade(const ShadingInput& input, int thread_count);

/// Depth along the view at a sample, of whatever is seen there, the ground included; infinite for
/// the background.
[[nodiscard]] float depth_at(const ShadingInput& input, int x, int y);

}  // namespace sluice::render
