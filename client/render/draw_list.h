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

/// The colours and the gloss of a surface.
struct Material {
  Float3 front;  ///< Linear colour of the side to which the normal points.
  Float3 back;   ///< Linear colour of the other side.
  float gloss;   ///< Share of light that is reflected as by a mirror, at most 1.
};

/// All triangles and spheres of a picture, in the world frame.
struct DrawList {
  std::vector<Float3> positions{};
  std::vector<Float3> normals{};
  std::vector<std::array<std::int32_t, 3>> triangles{};
  std::vector<std::uint8_t> triangle_materials{};
  std::vector<Material> materials{};
  std::vector<Float3> spheres{};
  std::vector<Float3> sphere_colours{};  ///< Linear colour of each sphere.
  float sphere_radius{0};                ///< Radius of all spheres, in metres.

  void add(const Mesh& mesh, std::uint8_t material);
};

/// Ids in a visibility buffer are 1 + the index of a triangle or a sphere; spheres have this bit.
inline constexpr std::uint32_t sphere_bit = 0x80000000U;

/// Draws the list into `buffer`, as seen through `view`.
void draw_visibility(const DrawList& list, const View& view, int thread_count,
                     VisibilityBuffer& buffer);

}  // namespace sluice::render
