// SPDX-License-Identifier: Apache-2.0
#include "client/render/shadow.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace sluice::render {
namespace {

constexpr int sample_count = 12;
constexpr float softness_texels = 5;  // Half width of a shadow's edge.

}  // namespace

ShadowMap::ShadowMap(const DrawList& list, const Float3& to_light, int size, int thread_count)
    : to_light_(to_light),
      across_(normalized(
          cross(std::abs(to_light.z) < 0.9F ? Float3{0, 0, 1} : Float3{1, 0, 0}, to_light))),
      along_(cross(to_light, across_)),
      texel_(1),
      buffer_(size, size) {
  float x1 = std::numeric_limits<float>::lowest();
  float y1 = x1;
  x0_ = y0_ = std::numeric_limits<float>::max();
  const auto include = [&](const Float3& p) {
    x0_ = std::min(x0_, dot(p, across_));
    y0_ = std::min(y0_, dot(p, along_));
    x1 = std::max(x1, dot(p, across_));
    y1 = std::max(y1, dot(p, along_));
  };
  std::for_each(list.positions.begin(), list.positions.end(), include);
  std::for_each(list.spheres.begin(), list.spheres.end(), include);
  if (x0_ > x1) {
    x0_ = y0_ = x1 = y1 = 0;
  }
  const float border = list.sphere_radius;
  x0_ -= border;
  y0_ -= border;
  const float reach = std::max(x1 + border - x0_, y1 + border - y0_);
  texel_ = std::max(reach, 1e-6F) / static_cast<float>(size);

  // Depth along the light's rays is -dot(p, to_light), so nearness is dot(p, to_light).
  const auto place = [&](const Float3& p) {
    return ScreenVertex{(dot(p, across_) - x0_) / texel_, (dot(p, along_) - y0_) / texel_,
                        dot(p, to_light_)};
  };
  std::vector<ScreenTriangle> triangles;
  triangles.reserve(list.triangles.size());
  for (const auto& t : list.triangles) {
    triangles.push_back({place(list.positions[static_cast<std::size_t>(t[0])]),
                         place(list.positions[static_cast<std::size_t>(t[1])]),
                         place(list.positions[static_cast<std::size_t>(t[2])]), 1});
  }
  std::vector<ScreenSphere> spheres;
  spheres.reserve(list.spheres.size());
  for (const Float3& p : list.spheres) {
    const ScreenVertex v = place(p);
    spheres.push_back({v.x, v.y, list.sphere_radius / texel_, -v.nearness, list.sphere_radius, 1});
  }
  rasterise(triangles, spheres, Projection::parallel, thread_count, buffer_);
}

float ShadowMap::light(const Float3& position, const Float3& normal, float turn) const {
  // Away from the surface, so that it does not shade itself through the size of a texel.
  const Float3 p = position + normal * (2.5F * texel_) + to_light_ * (2.5F * texel_);
  const float x = (dot(p, across_) - x0_) / texel_;
  const float y = (dot(p, along_) - y0_) / texel_;
  const auto size = static_cast<float>(buffer_.width);
  if (!(x > -softness_texels && y > -softness_texels && x < size + softness_texels &&
        y < size + softness_texels)) {
    return 1;
  }
  const float nearness = dot(p, to_light_);
  // Vogel's spiral fills a disc evenly.
  constexpr float golden_angle = 2.399963F;
  static const auto spiral = [] {
    std::array<std::array<float, 2>, sample_count> points{};
    for (int i = 0; i < sample_count; ++i) {
      const float radius =
          softness_texels * std::sqrt((static_cast<float>(i) + 0.5F) / sample_count);
      const float angle = static_cast<float>(i) * golden_angle;
      points[static_cast<std::size_t>(i)] = {radius * std::cos(angle), radius * std::sin(angle)};
    }
    return points;
  }();
  const float c = std::cos(2 * std::numbers::pi_v<float> * turn);
  const float s = std::sin(2 * std::numbers::pi_v<float> * turn);
  int lit = 0;
  for (const auto& [u, v] : spiral) {
    const int i = static_cast<int>(std::floor(x + c * u - s * v));
    const int j = static_cast<int>(std::floor(y + s * u + c * v));
    const bool outside = i < 0 || j < 0 || i >= buffer_.width || j >= buffer_.height;
    lit += outside || buffer_.nearness[buffer_.index(i, j)] <= nearness ? 1 : 0;
  }
  return static_cast<float>(lit) / sample_count;
}

}  // namespace sluice::render
