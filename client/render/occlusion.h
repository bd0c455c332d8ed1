// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "client/render/surface.h"

namespace sluice::render {

/// The light that reaches a pixel.
struct PixelLight {
  float sun{1};    ///< Share of the sun's light that is not shadowed.
  float sky{1};    ///< Share of the sky's light that nearby surfaces do not hide.
  float depth{0};  ///< Depth at the pixel's middle, in metres; infinite for the background.
};

/// Finds the light at each pixel of a picture of `width` x `height`, row by row. The sky's share is
/// estimated from nearby depths; the noise of both is smoothed over 4 x 4 pixels of like depth.
/// Source: Mittring, "Finding next gen: CryEngine 2", SIGGRAPH 2007, section 8.5.4.3, with samples
/// in the hemisphere over the surface and a limit of range.
[[nodiscard]] std::vector<PixelLight> find_light(const ShadingInput& input, int width, int height,
                                                 int thread_count);

}  // namespace sluice::render
