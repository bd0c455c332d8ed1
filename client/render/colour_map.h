// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/render/vector.h"

namespace sluice::render {

/// Linear RGB (primaries of sRGB) from lightness, green-red and blue-yellow.
/// Source: Ottosson, "A perceptual color space for image processing", 2020 (Oklab).
[[nodiscard]] Float3 linear_from_oklab(const Float3& lab);

/// Oklab from linear RGB: the inverse.
[[nodiscard]] Float3 oklab_from_linear(const Float3& linear);

/// The colour of a share of the scale, 0 for still and 1 for the fastest, as linear RGB: deep blue
/// over azure to pale cyan, with lightness rising evenly so that equal steps of speed
/// look equal, also in grey. Values outside [0, 1] take the nearest end's colour.
[[nodiscard]] Float3 speed_colour(float share);

/// An sRGB value in [0, 1] from a linear one; clamps. IEC 61966-2-1.
[[nodiscard]] float srgb_from_linear(float linear);

}  // namespace sluice::render
