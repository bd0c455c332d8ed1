// SPDX-License-Identifier: Apache-2.0
#include "client/render/overlay.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include "client/render/cell_blocks.h"
#include "client/render/colour_map.h"

namespace sluice::render {
namespace {

struct Glyph {
  char character;
  std::array<std::uint8_t, 7> rows;  // Five bits each, the left column is the highest.
};

constexpr std::array<Glyph, 17> glyphs{{
    {'0', {0x0E, 0x11, 0x13, 0x15, 0x19, 0x11, 0x0E}},
    {'1', {0x04, 0x0C, 0x04, 0x04, 0x04, 0x04, 0x0E}},
    {'2', {0x0E, 0x11, 0x01, 0x02, 0x04, 0x08, 0x1F}},
    {'3', {0x1F, 0x02, 0x04, 0x02, 0x01, 0x11, 0x0E}},
    {'4', {0x02, 0x06, 0x0A, 0x12, 0x1F, 0x02, 0x02}},
    {'5', {0x1F, 0x10, 0x1E, 0x01, 0x01, 0x11, 0x0E}},
    {'6', {0x06, 0x08, 0x10, 0x1E, 0x11, 0x11, 0x0E}},
    {'7', {0x1F, 0x01, 0x02, 0x04, 0x08, 0x08, 0x08}},
    {'8', {0x0E, 0x11, 0x11, 0x0E, 0x11, 0x11, 0x0E}},
    {'9', {0x0E, 0x11, 0x11, 0x0F, 0x01, 0x02, 0x0C}},
    {'.', {0x00, 0x00, 0x00, 0x00, 0x00, 0x0C, 0x0C}},
    {'/', {0x00, 0x01, 0x02, 0x04, 0x08, 0x10, 0x00}},
    {'=', {0x00, 0x00, 0x1F, 0x00, 0x1F, 0x00, 0x00}},
    {'m', {0x00, 0x00, 0x1A, 0x15, 0x15, 0x11, 0x11}},
    {'s', {0x00, 0x00, 0x0E, 0x10, 0x0E, 0x01, 0x1E}},
    {'t', {0x08, 0x08, 0x1C, 0x08, 0x08, 0x09, 0x06}},
    {'x', {0x00, 0x00, 0x11, 0x0A, 0x04, 0x0A, 0x11}},
}};

constexpr int glyph_advance = 6;
constexpr std::array<std::uint8_t, 3> ink{52, 58, 66};
constexpr std::array<std::uint8_t, 3> light_ink{206, 212, 220};  // Upon what is dark.

void blend(Image& image, int x, int y, const std::array<std::uint8_t, 3>& colour, float share) {
  if (x < 0 || y < 0 || x >= image.width || y >= image.height) {
    return;
  }
  std::uint8_t* pixel = image.pixel(x, y);
  for (std::size_t c = 0; c < 3; ++c) {
    const auto before = static_cast<float>(pixel[c]);
    pixel[c] = static_cast<std::uint8_t>(
        std::lround(before + (static_cast<float>(colour[c]) - before) * share));
  }
}

/// Whether the part of the picture is nearer to black than to white on average.
bool is_dark(const Image& image, int x, int y, int width, int height) {
  std::int64_t sum = 0;
  std::int64_t count = 0;
  for (int v = std::max(y, 0); v < std::min(y + height, image.height); ++v) {
    for (int u = std::max(x, 0); u < std::min(x + width, image.width); ++u) {
      sum += image.pixel(u, v)[1];  // Green is most of what is bright.
      ++count;
    }
  }
  return sum < 110 * count;
}

int scale_of(const Image& image) { return std::max(image.height / 360, 1); }

struct LineLook {
  std::array<std::uint8_t, 3> colour;
  float share;
};
constexpr LineLook domain_line{{70, 82, 96}, 0.28F};
constexpr LineLook cell_line{{140, 156, 174}, 0.45F};

/// A step every half pixel, at most as many as the longest edge has that can be seen.
int steps_of(const View& view, const Float3& from, const Float3& to) {
  constexpr int most = 4096;
  const Float3 a = view.project(from);
  const Float3 b = view.project(to);
  if (a.z <= 0 || b.z <= 0) {
    return most;
  }
  const float samples = std::max(std::abs(a.x - b.x), std::abs(a.y - b.y));
  return static_cast<int>(std::clamp(2 * samples / samples_per_axis + 1, 1.0F, float{most}));
}

void draw_edge(Image& image, const ShadingInput& input, const Float3& from, const Float3& to,
               const LineLook& look) {
  // Each spot is drawn once.
  const int steps = steps_of(input.view, from, to);
  int last_x = -1;
  int last_y = -1;
  for (int i = 0; i <= steps; ++i) {
    const Float3 p =
        input.view.project(mix(from, to, static_cast<float>(i) / static_cast<float>(steps)));
    if (p.z <= 0 || p.x < 0 || p.y < 0) {
      continue;
    }
    const int sample_x = static_cast<int>(p.x);
    const int sample_y = static_cast<int>(p.y);
    const int x = sample_x / samples_per_axis;
    const int y = sample_y / samples_per_axis;
    if (x >= image.width || y >= image.height || (x == last_x && y == last_y)) {
      continue;
    }
    last_x = x;
    last_y = y;
    if (p.z <= 1.002F * depth_at(input, sample_x, sample_y)) {
      const float seen =
          input.gas == nullptr
              ? 1.0F
              : input.gas->seen(input.view.eye(), input.view.ray(p.x, p.y), p.z).transmittance;
      blend(image, x, y, look.colour, look.share * seen);
    }
  }
}

}  // namespace

void draw_wireframe(Image& image, const ShadingInput& input, const Bounds& bounds) {
  for (int axis = 0; axis < 3; ++axis) {
    for (int side = 0; side < 4; ++side) {
      Float3 from = bounds.lower;
      const int u = (axis + 1) % 3;
      const int v = (axis + 2) % 3;
      from[u] = (side & 1) != 0 ? bounds.upper[u] : bounds.lower[u];
      from[v] = (side & 2) != 0 ? bounds.upper[v] : bounds.lower[v];
      Float3 to = from;
      to[axis] = bounds.upper[axis];
      draw_edge(image, input, from, to, domain_line);
    }
  }
}

void draw_cells(Image& image, const ShadingInput& input, const CellLattice& lattice,
                std::span<const float> levels, int axis) {
  const auto a = static_cast<std::size_t>(axis);
  const int layer = lattice.counts[a] / 2;
  const auto place = [&](const std::array<int, 3>& corner) {
    Float3 p;
    for (int i = 0; i < 3; ++i) {
      const auto at = static_cast<std::size_t>(i);
      p[i] = static_cast<float>(lattice.lower[at] + corner[at] * lattice.edges[at]);
    }
    p[axis] = static_cast<float>(lattice.lower[a] + 0.5 * lattice.counts[a] * lattice.edges[a]);
    return p;
  };
  for (const CellBlock& block : cell_blocks(lattice, levels)) {
    if (layer < block.first[a] || layer >= block.first[a] + block.counts[a]) {
      continue;
    }
    // Upper edges are the lower ones of the next cells, or the domain's.
    for (std::size_t along = 0; along < 3; ++along) {
      if (along == a) {
        continue;
      }
      std::array<int, 3> end = block.first;
      end[along] += block.counts[along];
      draw_edge(image, input, place(block.first), place(end), cell_line);
    }
  }
}

int text_width(std::string_view text, int scale) {
  return static_cast<int>(text.size()) * glyph_advance * scale - scale;
}

void draw_text(Image& image, int x, int y, int scale, std::string_view text) {
  const auto& colour = is_dark(image, x, y, text_width(text, scale), 7 * scale) ? light_ink : ink;
  for (const char character : text) {
    const auto* const glyph = std::find_if(
        glyphs.begin(), glyphs.end(), [&](const Glyph& g) { return g.character == character; });
    for (int row = 0; glyph != glyphs.end() && row < 7 * scale; ++row) {
      for (int column = 0; column < 5 * scale; ++column) {
        const unsigned bits = glyph->rows[static_cast<std::size_t>(row / scale)];
        if ((bits >> static_cast<unsigned>(4 - column / scale) & 1U) != 0) {
          blend(image, x + column, y + row, colour, 0.85F);
        }
      }
    }
    x += glyph_advance * scale;
  }
}

void draw_speed_scale(Image& image, float fastest) {
  const int scale = scale_of(image);
  const int width = 100 * scale;
  const int height = 6 * scale;
  const int x0 = image.width - width - 16 * scale;
  const int y0 = image.height - 26 * scale;
  for (int x = 0; x < width; ++x) {
    const Float3 colour = speed_colour(static_cast<float>(x) / static_cast<float>(width - 1));
    std::array<std::uint8_t, 3> bytes{};
    for (int c = 0; c < 3; ++c) {
      bytes[static_cast<std::size_t>(c)] =
          static_cast<std::uint8_t>(std::lround(255 * srgb_from_linear(colour[c])));
    }
    for (int y = 0; y < height; ++y) {
      const bool on_border = x == 0 || y == 0 || x == width - 1 || y == height - 1;
      blend(image, x0 + x, y0 + y, on_border ? ink : bytes, on_border ? 0.4F : 1.0F);
    }
  }
  const std::string most = fmt::format("{:g} m/s", fastest);
  const int text_y = y0 + height + 3 * scale;
  draw_text(image, x0, text_y, scale, "0");
  draw_text(image, x0 + width - text_width(most, scale), text_y, scale, most);
}

void draw_time(Image& image, double seconds) {
  const int scale = scale_of(image);
  draw_text(image, 16 * scale, image.height - 17 * scale, scale,
            fmt::format("t = {:.2f} s", seconds));
}

}  // namespace sluice::render
