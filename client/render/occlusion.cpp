// SPDX-License-Identifier: Apache-2.0
#include "client/render/occlusion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "client/render/tiles.h"

namespace sluice::render {
namespace {

constexpr int sample_count = 12;
constexpr float infinity = std::numeric_limits<float>::infinity();

/// A different number in [0, 1) for each pixel of a 4 x 4 block (ordered dither), so that a mean
/// over any such block has all sixteen.
float block_noise(int x, int y) {
  constexpr std::array<int, 16> order{0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5};
  return (static_cast<float>(
              order[static_cast<std::size_t>(y & 3) * 4 + static_cast<std::size_t>(x & 3)]) +
          0.5F) /
         16;
}

/// Directions of the hemisphere around z, cosine-weighted, with a length in (0, 1].
std::array<Float3, sample_count> make_kernel() {
  std::array<Float3, sample_count> kernel;
  for (int i = 0; i < sample_count; ++i) {
    const float share = (static_cast<float>(i) + 0.5F) / sample_count;
    const float angle = static_cast<float>(i) * 2.399963F;  // The golden angle.
    const float radius = std::sqrt(share);
    const float reach = 0.15F + 0.85F * static_cast<float>((i * 5) % sample_count) / sample_count;
    kernel[static_cast<std::size_t>(i)] =
        Float3{radius * std::cos(angle), radius * std::sin(angle), std::sqrt(1 - share)} * reach;
  }
  return kernel;
}

class Occlusion {
 public:
  Occlusion(const ShadingInput& input, const std::vector<PixelLight>& pixels, int width, int height)
      : input_(input),
        pixels_(pixels),
        width_(width),
        height_(height),
        wide_(0.07F * length(input.stage.bounds().upper - input.stage.bounds().lower)) {}

  [[nodiscard]] float sky(const SurfacePoint& surface, float turn) const {
    if (!is_near_the_scene(surface.position)) {
      return 1;  // Most of the ground: nothing stands there.
    }
    static const auto kernel = make_kernel();
    const Float3& n = surface.normal;
    const Float3 u = normalized(cross(std::abs(n.z) < 0.9F ? Float3{0, 0, 1} : Float3{1, 0, 0}, n));
    const Float3 v = cross(n, u);
    const float c = std::cos(2 * std::numbers::pi_v<float> * turn);
    const float s = std::sin(2 * std::numbers::pi_v<float> * turn);
    float hidden = 0;
    for (int i = 0; i < sample_count; ++i) {
      const Float3& k = kernel[static_cast<std::size_t>(i)];
      // Every other sample looks nearby, where particles and folds shade each other.
      const float reach = i % 2 == 0 ? wide_ : 0.2F * wide_;
      const Float3 direction = u * (c * k.x - s * k.y) + v * (s * k.x + c * k.y) + n * k.z;
      hidden += occluded(surface.position + n * (0.02F * reach) + direction * reach, reach);
    }
    return 1 - hidden / sample_count;
  }

 private:
  [[nodiscard]] bool is_near_the_scene(const Float3& p) const {
    const Bounds& bounds = input_.stage.bounds();
    for (int axis = 0; axis < 3; ++axis) {
      if (p[axis] < bounds.lower[axis] - wide_ || p[axis] > bounds.upper[axis] + wide_) {
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] float occluded(const Float3& position, float reach) const {
    const Float3 p = input_.view.project(position);
    const int x = static_cast<int>(p.x / samples_per_axis);
    const int y = static_cast<int>(p.y / samples_per_axis);
    if (p.z <= 0 || p.x < 0 || p.y < 0 || x >= width_ || y >= height_) {
      return 0;
    }
    const float in_front =
        p.z - pixels_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
                      static_cast<std::size_t>(x)]
                  .depth;
    if (in_front <= 0.01F * reach) {
      return 0;
    }
    // A surface far in front is another object, with nothing known of the space behind it.
    return in_front < reach ? 1.0F : reach * reach / (in_front * in_front);
  }

  const ShadingInput& input_;
  const std::vector<PixelLight>& pixels_;
  int width_;
  int height_;
  float wide_;  // In metres.
};

}  // namespace

std::vector<PixelLight> find_light(const ShadingInput& input, int width, int height,
                                   int thread_count) {
  std::vector<PixelLight> rough(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  std::vector<SurfacePoint> surfaces(rough.size());
  const auto at = [&](int x, int y) {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
           static_cast<std::size_t>(x);
  };
  for_each_piece(height, thread_count, [&](int y) {
    for (int x = 0; x < width; ++x) {
      const std::uint32_t id =
          input.visibility.id[input.visibility.index(x * samples_per_axis + samples_per_axis / 2,
                                                     y * samples_per_axis + samples_per_axis / 2)];
      SurfacePoint& surface = surfaces[at(x, y)];
      surface = find_surface(input, id, (static_cast<float>(x) + 0.5F) * samples_per_axis,
                             (static_cast<float>(y) + 0.5F) * samples_per_axis);
      rough[at(x, y)].depth =
          surface.kind == SurfacePoint::Kind::background ? infinity : surface.depth;
    }
  });
  const Occlusion occlusion(input, rough, width, height);
  for_each_piece(height, thread_count, [&](int y) {
    for (int x = 0; x < width; ++x) {
      const SurfacePoint& surface = surfaces[at(x, y)];
      if (surface.kind != SurfacePoint::Kind::background) {
        rough[at(x, y)].sun =
            input.shadow.light(surface.position, surface.normal, block_noise(x, y));
        rough[at(x, y)].sky = occlusion.sky(surface, block_noise(x + 2, y + 1));
      }
    }
  });
  const float like = 0.02F * length(input.stage.bounds().upper - input.stage.bounds().lower);
  std::vector<PixelLight> smooth = rough;
  for_each_piece(height, thread_count, [&](int y) {
    for (int x = 0; x < width; ++x) {
      PixelLight& pixel = smooth[at(x, y)];
      float sun = 0;
      float sky = 0;
      float weight = 0;
      for (int v = std::max(y - 2, 0); v < std::min(y + 2, height); ++v) {
        for (int u = std::max(x - 2, 0); u < std::min(x + 2, width); ++u) {
          const PixelLight& other = rough[at(u, v)];
          if (std::abs(other.depth - pixel.depth) < like) {
            sun += other.sun;
            sky += other.sky;
            weight += 1;
          }
        }
      }
      if (weight > 0) {
        pixel.sun = sun / weight;
        pixel.sky = sky / weight;
      }
    }
  });
  return smooth;
}

}  // namespace sluice::render
