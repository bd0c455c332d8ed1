// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace sluice::render {

/// The projection, which defines the nearness of depth z: 1/z (perspective) or -z (parallel). This
/// is linear on the picture, and a larger nearness is nearer.
enum class Projection { perspective, parallel };

/// A corner of a triangle on the picture: x right and y down, in samples.
struct ScreenVertex {
  float x, y, nearness;
};

struct ScreenTriangle {
  ScreenVertex a, b, c;
  std::uint32_t id;
};

/// A ball, drawn as the disc of its outline with the depth of its front side. This is exact to
/// first order in radius over distance, which is enough for small particles.
struct ScreenSphere {
  float x, y;          ///< Centre on the picture, in samples.
  float radius;        ///< Radius on the picture, in samples.
  float depth;         ///< Depth of the centre, in metres.
  float world_radius;  ///< Radius in the world, in metres.
  std::uint32_t id;
};

/// The id and the nearness of the nearest primitive at each sample.
struct VisibilityBuffer {
  static constexpr float nothing = -std::numeric_limits<float>::infinity();
  static constexpr std::uint32_t no_id = 0;

  VisibilityBuffer(int w, int h)
      : width(w),
        height(h),
        nearness(static_cast<std::size_t>(w) * static_cast<std::size_t>(h), nothing),
        id(nearness.size(), no_id) {}

  [[nodiscard]] std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
           static_cast<std::size_t>(x);
  }

  int width, height;
  std::vector<float> nearness;
  std::vector<std::uint32_t> id;
};

/// Draws primitives into the buffer. A sample gets the nearest primitive at its centre, (x + 0.5,
/// y + 0.5), or the first of equally near ones, for any number of threads.
void rasterise(std::span<const ScreenTriangle> triangles, std::span<const ScreenSphere> spheres,
               Projection projection, int thread_count, VisibilityBuffer& buffer);

}  // namespace sluice::render
