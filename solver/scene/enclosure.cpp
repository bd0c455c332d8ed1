// SPDX-License-Identifier: Apache-2.0
#include "solver/scene/enclosure.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "solver/geometry/point_triangle.h"
#include "solver/geometry/winding.h"

namespace sluice::scene {
namespace {

geometry::Triangle corners(const geometry::TriangleMesh& mesh, std::size_t triangle) {
  const TriangleIndices& index = mesh.triangles[triangle];
  return {mesh.vertices[static_cast<std::size_t>(index[0])],
          mesh.vertices[static_cast<std::size_t>(index[1])],
          mesh.vertices[static_cast<std::size_t>(index[2])]};
}

}  // namespace

Enclosure::Enclosure(geometry::TriangleMesh surface, bool is_closed, double distance)
    : surface_(std::move(surface)),
      triangles_(geometry::triangle_boxes(surface_)),
      is_closed_(is_closed),
      distance_(distance) {}

std::optional<bool> Enclosure::has(const Vec3& center, double radius,
                                   std::int64_t& evaluations_left) const {
  const double reach = radius + distance_;
  const Vec3 extents = Vec3::Constant(reach);
  bool is_near = false;
  triangles_.for_each_overlap({center - extents, center + extents}, [&](std::int32_t t) {
    if (is_near) return;
    --evaluations_left;
    const geometry::Triangle triangle = corners(surface_, static_cast<std::size_t>(t));
    is_near = geometry::nearest_point(triangle, center).squared_distance < reach * reach;
  });
  if (is_near) return radius == 0 ? std::optional(true) : std::nullopt;
  return is_closed_ && geometry::winding_number(surface_, triangles_, center) != 0;
}

}  // namespace sluice::scene
