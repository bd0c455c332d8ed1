// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "client/render/camera.h"
#include "client/render/vector.h"
#include "sluice/v1/scene.pb.h"

namespace sluice::render {

/// Triangles with a normal at each vertex.
struct Mesh {
  std::vector<Float3> positions{};
  std::vector<Float3> normals{};  ///< Unit normals, one for each position.
  std::vector<std::int32_t> triangles{};
};

/// Returns unit vertex normals: sums of the adjacent triangles' normals, weighted by their areas.
[[nodiscard]] std::vector<Float3> vertex_normals(std::span<const Float3> positions,
                                                 std::span<const std::int32_t> triangles);

/// Returns the surface of a scene's shape in the world. A half-space gives the part of its plane in
/// `bounds`; a shape without a form gives nothing.
[[nodiscard]] Mesh tessellate(const v1::Shape& shape, const Bounds& bounds);

}  // namespace sluice::render
