// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "client/render/image.h"
#include "client/render/shading.h"

namespace sluice::render {

/// Draws the twelve edges of `bounds` as faint lines, where nothing is in front of them.
void draw_wireframe(Image& image, const ShadingInput& input, const Bounds& bounds);

/// Writes text with its upper left corner at (x, y): digits, lower-case letters that units need,
/// and
/// `. / =`; other characters are blanks. A character is 5 x 7 dots of `scale` pixels.
void draw_text(Image& image, int x, int y, int scale, std::string_view text);

/// Width of `text` in pixels.
[[nodiscard]] int text_width(std::string_view text, int scale);

/// Draws the scale of speed, 0 to `fastest` in m/s, into the lower right corner.
void draw_speed_scale(Image& image, float fastest);

/// Writes the time into the lower left corner.
void draw_time(Image& image, double seconds);

}  // namespace sluice::render
