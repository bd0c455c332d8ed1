// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "client/render/surface.h"

namespace sluice::render {

/// What light reaches a pixel.
struct PixelLight {
  float sun{1};    ///< Share of the sun that is not shadowed.
  float sky{1};    ///< Share of the sky that is not hidden by what is nearby.
  float depth{0};  ///< Of the pixel's middle, in metres; infinite for the background.
};

/// Light at each pixel of a picture of `width` x `height`, row by row. The sky is estimated from
/// the depths of the neighbourhood; noise of both is smoothed over 4 x 4 pixels of like depth.
/// Source: Mittring, "Finding next gen: CryEngine 2", SIGGRAPH 2007, section 8.5.4.3, with samples
/// in the hemisphere over the surface and a limit of range.
[[nodiscard]] std::vector<PixelLight> find_light(const ShadingInput& input, int width, int height,
                                                 int thread_count);

}  // namespace sluice::render
