// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "client/render/camera.h"
#include "client/render/mesh.h"
#include "client/render/raster.h"
#include "client/render/vector.h"

namespace sluice::render {

/// What a surface looks like.
struct Material {
  Float3 front;  ///< Linear colour of the side that the normal points from.
  Float3 back;   ///< Of the other side.
  float gloss;   ///< Share of light that is reflected as by a mirror, at most 1.
};

/// Everything that is in a picture, in the world frame.
struct DrawList {
  std::vector<Float3> positions{};
  std::vector<Float3> normals{};
  std::vector<std::array<std::int32_t, 3>> triangles{};
  std::vector<std::uint8_t> triangle_materials{};
  std::vector<Material> materials{};
  std::vector<Float3> spheres{};
  std::vector<Float3> sphere_colours{};  ///< Linear.
  float sphere_radius{0};                ///< In metres.

  void add(const Mesh& mesh, std::uint8_t material);
};

/// Ids in a visibility buffer: 1 + the index of a triangle, or that of a sphere with this bit.
inline constexpr std::uint32_t sphere_bit = 0x80000000U;

/// Draws the list as seen through `view`.
void draw_visibility(const DrawList& list, const View& view, int thread_count,
                     VisibilityBuffer& buffer);

}  // namespace sluice::render
