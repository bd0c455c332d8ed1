// SPDX-License-Identifier: Apache-2.0
#include "client/render/draw_list.h"

#include <algorithm>

namespace sluice::render {
namespace {

/// Nearest depth that is drawn, in metres: below the size of anything in a scene, far above
/// rounding.
constexpr float nearest_depth = 1e-4F;

ScreenVertex to_screen(const View& view, const Float3& p) {
  const Float3 s = view.project_view(p);
  return {s.x, s.y, 1 / s.z};
}

/// Adds what of a triangle is in front of the eye: one triangle, two, or none.
void add_clipped(std::vector<ScreenTriangle>& out, const View& view,
                 const std::array<Float3, 3>& corners, std::uint32_t id) {
  std::array<Float3, 4> kept;
  std::size_t count = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const Float3& a = corners[i];
    const Float3& b = corners[(i + 1) % 3];
    const bool a_inside = a.z > nearest_depth;
    if (a_inside) {
      kept[count++] = a;
    }
    if (a_inside != (b.z > nearest_depth)) {
      kept[count++] = mix(a, b, (nearest_depth - a.z) / (b.z - a.z));
    }
  }
  for (std::size_t i = 2; i < count; ++i) {
    out.push_back(
        {to_screen(view, kept[0]), to_screen(view, kept[i - 1]), to_screen(view, kept[i]), id});
  }
}

}  // namespace

void DrawList::add(const Mesh& mesh, std::uint8_t material) {
  const auto base = static_cast<std::int32_t>(positions.size());
  positions.insert(positions.end(), mesh.positions.begin(), mesh.positions.end());
  normals.insert(normals.end(), mesh.normals.begin(), mesh.normals.end());
  for (std::size_t i = 0; i + 2 < mesh.triangles.size(); i += 3) {
    triangles.push_back(
        {base + mesh.triangles[i], base + mesh.triangles[i + 1], base + mesh.triangles[i + 2]});
  }
  triangle_materials.resize(triangles.size(), material);
}

void draw_visibility(const DrawList& list, const View& view, int thread_count,
                     VisibilityBuffer& buffer) {
  std::vector<Float3> seen(list.positions.size());
  std::transform(list.positions.begin(), list.positions.end(), seen.begin(),
                 [&](const Float3& p) { return view.to_view(p); });
  std::vector<ScreenTriangle> triangles;
  triangles.reserve(list.triangles.size());
  for (std::size_t i = 0; i < list.triangles.size(); ++i) {
    const auto& t = list.triangles[i];
    add_clipped(triangles, view,
                {seen[static_cast<std::size_t>(t[0])], seen[static_cast<std::size_t>(t[1])],
                 seen[static_cast<std::size_t>(t[2])]},
                static_cast<std::uint32_t>(i + 1));
  }
  std::vector<ScreenSphere> spheres;
  spheres.reserve(list.spheres.size());
  for (std::size_t i = 0; i < list.spheres.size(); ++i) {
    const Float3 p = view.to_view(list.spheres[i]);
    if (p.z > list.sphere_radius + nearest_depth) {
      const Float3 s = view.project_view(p);
      spheres.push_back({s.x, s.y, view.focal() * list.sphere_radius / p.z, p.z, list.sphere_radius,
                         static_cast<std::uint32_t>(i + 1) | sphere_bit});
    }
  }
  rasterise(triangles, spheres, Projection::perspective, thread_count, buffer);
}

}  // namespace sluice::render
