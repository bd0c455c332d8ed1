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

/// The data on which the colours of a picture depend.
struct ShadingInput {
  const DrawList& list;
  const View& view;  ///< The view, in samples of `visibility`.
  const VisibilityBuffer& visibility;
  const ShadowMap& shadow;
  const Stage& stage;
  Float3 to_light;                 ///< Unit vector towards the sun.
  const GasVolume* gas{nullptr};   ///< Null if there is no gas in three dimensions.
  const GasPlate* plate{nullptr};  ///< Null if there is no flat gas.
};

/// Number of samples along each axis of a pixel.
inline constexpr int samples_per_axis = 2;

/// Shades the visible surfaces, with soft shadows from the sun, light from the sky with occlusion
/// by nearby surfaces, a ground that fades into the background, and the gas before all of them.
/// Averages the `samples_per_axis` squared samples of `visibility` in each pixel.
[[nodiscard]] Image shade(const ShadingInput& input, int thread_count);

/// Returns the depth along the view of the surface seen at a sample, the ground included; infinite
/// for the background.
[[nodiscard]] float depth_at(const ShadingInput& input, int x, int y);

}  // namespace sluice::render
