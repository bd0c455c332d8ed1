// SPDX-License-Identifier: Apache-2.0
#include "client/render/colour_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace sluice::render {
namespace {

// Lightness, green-red, blue-yellow at equal distances. Hues of deep water, sky and shallows;
// lightness is a straight line, and hue and chroma bend slowly. All lie inside sRGB (tested).
constexpr std::array<Float3, 5> stops{{
    {0.360F, -0.012F, -0.145F},
    {0.495F, -0.035F, -0.145F},
    {0.630F, -0.060F, -0.115F},
    {0.765F, -0.075F, -0.070F},
    {0.900F, -0.050F, -0.022F},
}};

constexpr int table_size = 512;

std::array<Float3, table_size + 1> make_table() {
  std::array<Float3, table_size + 1> table;
  for (int i = 0; i <= table_size; ++i) {
    const float position = static_cast<float>(i) / table_size * (stops.size() - 1);
    const auto stop = std::min(static_cast<std::size_t>(position), stops.size() - 2);
    const Float3 linear =
        linear_from_oklab(mix(stops[stop], stops[stop + 1], position - static_cast<float>(stop)));
    table[static_cast<std::size_t>(i)] = {std::clamp(linear.x, 0.0F, 1.0F),
                                          std::clamp(linear.y, 0.0F, 1.0F),
                                          std::clamp(linear.z, 0.0F, 1.0F)};
  }
  return table;
}

float cube(float x) { return x * x * x; }

}  // namespace

Float3 linear_from_oklab(const Float3& lab) {
  const float l = cube(lab.x + 0.3963377774F * lab.y + 0.2158037573F * lab.z);
  const float m = cube(lab.x - 0.1055613458F * lab.y - 0.0638541728F * lab.z);
  const float s = cube(lab.x - 0.0894841775F * lab.y - 1.2914855480F * lab.z);
  return {4.0767416621F * l - 3.3077115913F * m + 0.2309699292F * s,
          -1.2684380046F * l + 2.6097574011F * m - 0.3413193965F * s,
          -0.0041960863F * l - 0.7034186147F * m + 1.7076147010F * s};
}

Float3 oklab_from_linear(const Float3& rgb) {
  const float l = std::cbrt(0.4122214708F * rgb.x + 0.5363325363F * rgb.y + 0.0514459929F * rgb.z);
  const float m = std::cbrt(0.2119034982F * rgb.x + 0.6806995451F * rgb.y + 0.1073969566F * rgb.z);
  const float s = std::cbrt(0.0883024619F * rgb.x + 0.2817188376F * rgb.y + 0.6299787005F * rgb.z);
  return {0.2104542553F * l + 0.7936177850F * m - 0.0040720468F * s,
          1.9779984951F * l - 2.4285922050F * m + 0.4505937099F * s,
          0.0259040371F * l + 0.7827717662F * m - 0.8086757660F * s};
}

Float3 speed_colour(float share) {
  static const auto table = make_table();
  const float clamped = share > 0 ? std::min(share, 1.0F) : 0.0F;  // Not a number counts as still.
  return table[static_cast<std::size_t>(std::lround(clamped * table_size))];
}

float srgb_from_linear(float linear) {
  const float clamped = std::clamp(linear, 0.0F, 1.0F);
  return clamped <= 0.0031308F ? 12.92F * clamped : 1.055F * std::pow(clamped, 1 / 2.4F) - 0.055F;
}

}  // namespace sluice::render
