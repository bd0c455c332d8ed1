// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "client/render/cell_lattice.h"
#include "client/render/image.h"
#include "client/render/shading.h"

namespace sluice::render {

/// Draws the twelve edges of `bounds` as faint lines, except where something is in front of them.
void draw_wireframe(Image& image, const ShadingInput& input, const Bounds& bounds);

/// Draws the edges of a gas's cells of many sizes, `levels` (FIELD_CELL_LEVEL), where the plane
/// across `axis` through the middle of its lattice cuts them.
void draw_cells(Image& image, const ShadingInput& input, const CellLattice& lattice,
                std::span<const float> levels, int axis);

/// Writes text with its upper left corner at (x, y). Digits, the lower-case letters of units and
/// `. / =` are known; other characters give blanks. A character has 5 x 7 dots of `scale` x `scale`
/// pixels.
void draw_text(Image& image, int x, int y, int scale, std::string_view text);

/// Returns the width of `text` in pixels.
[[nodiscard]] int text_width(std::string_view text, int scale);

/// Draws the colour scale of speeds, 0 to `fastest` m/s, into the lower right corner.
void draw_speed_scale(Image& image, float fastest);

/// Writes the simulated time into the lower left corner.
void draw_time(Image& image, double seconds);

}  // namespace sluice::render
