// SPDX-License-Identifier: Apache-2.0
#include "client/render/shading.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "client/render/colour_map.h"
#include "client/render/lights.h"
#include "client/render/occlusion.h"
#include "client/render/surface.h"
#include "client/render/tiles.h"

namespace sluice::render {
namespace {

constexpr Float3 horizon{0.77F, 0.79F, 0.815F};
constexpr Float3 zenith{0.50F, 0.58F, 0.68F};

float smooth_step(float from, float to, float x) {
  const float t = std::clamp((x - from) / (to - from), 0.0F, 1.0F);
  return t * t * (3 - 2 * t);
}

/// Leaves dark and middle as they are, so that colours match the scale, and bends what is brighter
/// than white below it.
float compress(float x) {
  constexpr float knee = 0.7F;
  return x <= knee ? x : knee + (1 - knee) * (1 - std::exp((knee - x) / (1 - knee)));
}

class Shader {
 public:
  explicit Shader(const ShadingInput& input)
      : input_(input),
        up_(input.stage.ground().normal),
        centre_(mix(input.stage.bounds().lower, input.stage.bounds().upper, 0.5F)),
        reach_(0.5F * length(input.stage.bounds().upper - input.stage.bounds().lower)) {}

  /// Linear colour, as it is shown, of what is seen at a point of the picture, in samples.
  [[nodiscard]] Float3 colour(std::uint32_t id, float x, float y, const PixelLight& light) const {
    const Float3 ray = input_.view.ray(x, y);
    const SurfacePoint surface = find_surface(input_, id, x, y);
    // Bodies lie in the plate's plane, and are seen in its place.
    if (input_.plate != nullptr && surface.kind == SurfacePoint::Kind::background) {
      if (const auto shown = input_.plate->seen(input_.view.eye(), ray)) {
        return *shown;
      }
    }
    Float3 colour = surface_colour(surface, ray, light);
    if (input_.gas != nullptr) {
      const float depth = surface.kind == SurfacePoint::Kind::background
                              ? std::numeric_limits<float>::infinity()
                              : surface.depth;
      const GasSeen gas = input_.gas->seen(input_.view.eye(), ray, depth);
      colour = colour * gas.transmittance + gas.colour;
    }
    return {compress(colour.x), compress(colour.y), compress(colour.z)};
  }

 private:
  [[nodiscard]] Float3 surface_colour(const SurfacePoint& surface, const Float3& ray,
                                      const PixelLight& light) const {
    const Float3 view = normalized(ray);
    if (surface.kind == SurfacePoint::Kind::background) {
      return background(view);
    }
    const Float3 lit = shade_surface(surface, view, light);
    if (surface.kind != SurfacePoint::Kind::ground) {
      return lit;
    }
    const Float3 away = surface.position - centre_;
    const float distance = length(away - up_ * dot(away, up_));
    return mix(lit, background(view), smooth_step(1.1F * reach_, 4.5F * reach_, distance));
  }

  [[nodiscard]] Float3 background(const Float3& view) const {
    return mix(horizon, zenith, smooth_step(-0.05F, 0.75F, dot(view, up_)));
  }

  [[nodiscard]] Float3 shade_surface(const SurfacePoint& surface, const Float3& view,
                                     const PixelLight& light) const {
    const Float3& n = surface.normal;
    const bool is_sphere = surface.kind == SurfacePoint::Kind::sphere;
    // Light goes into water and comes out again: the edge between light and dark is soft.
    const float wrap = is_sphere ? 0.35F : 0.0F;
    const float facing = dot(n, input_.to_light);
    const float diffuse = std::max((facing + wrap) / (1 + wrap), 0.0F);
    const float above = 0.5F + 0.5F * dot(n, up_);
    const Float3 ambient = mix(bounce, skylight, above) * (light.sky * light.sky);
    const float sun =
        input_.gas == nullptr ? light.sun : light.sun * input_.gas->sun(surface.position);
    Float3 colour = surface.colour * (sunlight * (diffuse * sun) + ambient);
    if (surface.gloss > 0) {
      // Schlick's approximation of Fresnel reflection, of the sky and of the sun.
      const float edge = std::pow(1 - std::clamp(-dot(n, view), 0.0F, 1.0F), 5.0F);
      const float mirror = surface.gloss + (0.4F - 0.4F * surface.gloss) * edge;
      const Float3 half = normalized(input_.to_light - view);
      const float glint = std::pow(std::max(dot(n, half), 0.0F), 60.0F) * sun;
      colour = colour * (1 - mirror) + mix(bounce, horizon, above) * (mirror * light.sky) +
               sunlight * (glint * 8 * surface.gloss);
    }
    return colour;
  }

  const ShadingInput& input_;
  Float3 up_;
  Float3 centre_;
  float reach_;
};

std::uint8_t to_byte(float linear) {
  // Entry i stands for the middle of its share of [0, 1].
  constexpr std::size_t size = 4096;
  static const auto table = [] {
    std::array<std::uint8_t, size> bytes{};
    for (std::size_t i = 0; i < size; ++i) {
      const float middle = (static_cast<float>(i) + 0.5F) / size;
      bytes[i] = static_cast<std::uint8_t>(std::lround(255 * srgb_from_linear(middle)));
    }
    return bytes;
  }();
  // A value that is not a number is black.
  const float scaled = (linear > 0 ? std::min(linear, 1.0F) : 0.0F) * size;
  return table[std::min(static_cast<std::size_t>(scaled), size - 1)];
}

}  // namespace

float depth_at(const ShadingInput& input, int x, int y) {
  const std::size_t index = input.visibility.index(x, y);
  const float nearness = input.visibility.nearness[index];
  const float depth = nearness > 0 ? 1 / nearness : std::numeric_limits<float>::infinity();
  const float ground = ground_depth(
      input, input.view.ray(static_cast<float>(x) + 0.5F, static_cast<float>(y) + 0.5F));
  return ground > 0 ? std::min(depth, ground) : depth;
}

Image shade(const ShadingInput& input, int thread_count) {
  const int width = input.visibility.width / samples_per_axis;
  const int height = input.visibility.height / samples_per_axis;
  const std::vector<PixelLight> light = find_light(input, width, height, thread_count);
  const Shader shader(input);
  Image image(width, height);
  constexpr int samples = samples_per_axis * samples_per_axis;
  for_each_piece(height, thread_count, [&](int y) {
    for (int x = 0; x < width; ++x) {
      const PixelLight& here = light[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                                     static_cast<std::size_t>(x)];
      std::array<std::uint32_t, samples> ids{};
      bool same = input.plate == nullptr;  // Edges in the plate's picture have no ids.
      for (int s = 0; s < samples; ++s) {
        ids[static_cast<std::size_t>(s)] =
            input.visibility
                .id[input.visibility.index(x * samples_per_axis + s % samples_per_axis,
                                           y * samples_per_axis + s / samples_per_axis)];
        same = same && ids[static_cast<std::size_t>(s)] == ids[0];
      }
      Float3 sum;
      for (int s = 0; s < (same ? 1 : samples); ++s) {
        const int column = s % samples_per_axis;
        const int row = s / samples_per_axis;
        // One primitive in all of the pixel is shaded in the middle, once.
        const float u = same ? 0.5F * samples_per_axis : static_cast<float>(column) + 0.5F;
        const float v = same ? 0.5F * samples_per_axis : static_cast<float>(row) + 0.5F;
        const Float3 colour = shader.colour(ids[static_cast<std::size_t>(s)],
                                            static_cast<float>(x * samples_per_axis) + u,
                                            static_cast<float>(y * samples_per_axis) + v, here);
        sum += colour;
      }
      const Float3 mean = sum * (same ? 1.0F : 1.0F / samples);
      std::uint8_t* pixel = image.pixel(x, y);
      pixel[0] = to_byte(mean.x);
      pixel[1] = to_byte(mean.y);
      pixel[2] = to_byte(mean.z);
    }
  });
  return image;
}

}  // namespace sluice::render
