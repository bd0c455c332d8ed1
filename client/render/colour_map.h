// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/render/vector.h"

namespace sluice::render {

/// Converts Oklab (lightness, green-red, blue-yellow) into linear RGB with the primaries of sRGB.
/// Source: Ottosson, "A perceptual color space for image processing", 2020 (Oklab).
[[nodiscard]] Float3 linear_from_oklab(const Float3& lab);

/// Converts linear RGB into Oklab: the inverse of linear_from_oklab.
[[nodiscard]] Float3 oklab_from_linear(const Float3& linear);

/// Returns the colour of a speed as linear RGB, `share` being 0 at rest and 1 at the fastest: from
/// deep blue over azure to pale cyan, with evenly rising lightness, so that equal steps of speed
/// look equal, also in grey. A share outside [0, 1] gets the colour of the nearest end.
[[nodiscard]] Float3 speed_colour(float share);

/// Converts a linear value, clamped to [0, 1], into an sRGB value in [0, 1]. IEC 61966-2-1.
[[nodiscard]] float srgb_from_linear(float linear);

}  // namespace sluice::render
