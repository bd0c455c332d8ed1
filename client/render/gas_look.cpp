// SPDX-License-Identifier: Apache-2.0
#include "client/render/gas_look.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace sluice::render {
namespace {

constexpr float glow_begins = 400;  // [K] above ambient
constexpr float full_glow = 1400;   // [K] above ambient: as bright as white
constexpr Float3 warm{0.85F, 0.16F, 0.05F};
constexpr Float3 cold{0.06F, 0.22F, 0.80F};

float largest(const Float3& v) { return std::max({v.x, v.y, v.z, 0.0F}); }

/// 0 where what is this hot begins to glow, 1 where it is as bright as white.
float glow_share(float temperature, float ambient) {
  return std::clamp((temperature - ambient - glow_begins) / (full_glow - glow_begins), 0.0F, 2.0F);
}

}  // namespace

Float3 black_body_colour(float kelvin) {
  constexpr float second_radiation_constant = 1.438777e-2F;  // [m K], CODATA 2018
  constexpr std::array<float, 3> wavelengths{610e-9F, 550e-9F, 465e-9F};
  Float3 colour;
  for (int c = 0; c < 3; ++c) {
    const float wavelength = wavelengths[static_cast<std::size_t>(c)];
    colour[c] =
        std::pow(wavelengths[0] / wavelength, 5.0F) *
        std::exp(second_radiation_constant / kelvin * (1 / wavelengths[0] - 1 / wavelength));
  }
  return colour;
}

GasLook look_of(const GasContent& content, const GasScale& scale) {
  GasLook look;
  if (!content.smoke && !content.dye) {
    const float excess =
        content.temperature.value_or(scale.ambient_temperature) - scale.ambient_temperature;
    look.density = std::min(std::abs(excess) / scale.temperature_range, 1.0F);
    look.albedo = excess > 0 ? warm : cold;
    return look;
  }
  const float smoke = content.smoke.value_or(0.0F);
  const Float3 dye = content.dye.value_or(Float3{});
  const float strength = largest(dye);
  look.density = std::max(smoke, strength);
  if (!(look.density > 0)) {
    return {};  // Also where it is no number.
  }
  look.albedo = scale.smoke_albedo;
  if (strength > 0) {
    // Divided one by one: the smallest strengths have no finite inverse.
    const Float3 hue{dye.x / strength, dye.y / strength, dye.z / strength};
    look.albedo = mix(look.albedo, hue, strength / look.density);
  }
  if (content.temperature) {
    // A real body's radiance grows a hundredfold from embers to flames; the exposure of a film
    // follows it, so that they are seen beside each other.
    const float share = glow_share(*content.temperature, scale.ambient_temperature);
    look.emission = black_body_colour(*content.temperature) * (2.5F * std::pow(share, 1.5F));
    look.albedo =
        look.albedo * (1 - std::min(4 * share, 1.0F));  // Soot that glows scatters little.
  }
  return look;
}

}  // namespace sluice::render
