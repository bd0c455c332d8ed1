// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/tet_surface.h"

#include <algorithm>

namespace sluice::geometry {
namespace {

TriangleIndices face_of(const TetIndices& tet, std::size_t face) {
  const auto& corners = tet_faces[face];
  return {tet[corners[0]], tet[corners[1]], tet[corners[2]]};
}

struct KeyedFace {
  TriangleIndices key;  // Sorted corners.
  std::size_t id;       // 4 tet + face
};

// Ids of the faces whose corners no other face has, ascending.
std::vector<std::size_t> lone_faces(const TetMesh& volume) {
  std::vector<KeyedFace> faces;
  faces.reserve(4 * volume.tets.size());
  for (std::size_t t = 0; t < volume.tets.size(); ++t) {
    for (std::size_t f = 0; f < 4; ++f) {
      TriangleIndices key = face_of(volume.tets[t], f);
      std::sort(key.begin(), key.end());
      faces.push_back({key, 4 * t + f});
    }
  }
  std::sort(faces.begin(), faces.end(),
            [](const KeyedFace& a, const KeyedFace& b) { return a.key < b.key; });
  std::vector<std::size_t> lone;
  for (std::size_t i = 0; i < faces.size(); ++i) {
    const bool as_before = i > 0 && faces[i - 1].key == faces[i].key;
    const bool as_after = i + 1 < faces.size() && faces[i + 1].key == faces[i].key;
    if (!as_before && !as_after) lone.push_back(faces[i].id);
  }
  std::sort(lone.begin(), lone.end());
  return lone;
}

}  // namespace

TetSurface boundary_surface(const TetMesh& volume) {
  TetSurface surface;
  std::vector<std::int32_t> surface_vertex(volume.vertices.size(), -1);
  for (const std::size_t id : lone_faces(volume)) {
    const TriangleIndices face = face_of(volume.tets[id / 4], id % 4);
    for (const std::int32_t vertex : face)
      surface_vertex[static_cast<std::size_t>(vertex)] = 0;
    surface.mesh.triangles.push_back(face);
    surface.tet_of.push_back(static_cast<std::int32_t>(id / 4));
  }
  for (std::size_t v = 0; v < volume.vertices.size(); ++v) {
    if (surface_vertex[v] < 0) continue;
    surface_vertex[v] = static_cast<std::int32_t>(surface.vertex_of.size());
    surface.vertex_of.push_back(static_cast<std::int32_t>(v));
    surface.mesh.vertices.push_back(volume.vertices[v]);
  }
  for (TriangleIndices& triangle : surface.mesh.triangles) {
    for (std::int32_t& vertex : triangle)
      vertex = surface_vertex[static_cast<std::size_t>(vertex)];
  }
  return surface;
}

}  // namespace sluice::geometry
