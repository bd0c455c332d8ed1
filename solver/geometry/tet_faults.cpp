// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/tet_faults.h"

#include <algorithm>
#include <cmath>

namespace sluice::geometry {
namespace {

constexpr double smallest_height_ratio = 1e-6;

void find_bad_indices(const TetMesh& mesh, std::vector<TetFault>& faults) {
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    for (const std::int32_t index : mesh.tets[t]) {
      if (index < 0 || static_cast<std::size_t>(index) >= mesh.vertices.size()) {
        faults.push_back({TetFaultKind::index_out_of_range, static_cast<std::int64_t>(t), index});
      }
    }
  }
}

void find_bad_coordinates(const TetMesh& mesh, std::vector<TetFault>& faults) {
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    if (!mesh.vertices[v].allFinite()) {
      faults.push_back({TetFaultKind::not_finite, static_cast<std::int64_t>(v)});
    }
  }
}

bool has_vertex_twice(TetIndices tet) {
  std::sort(tet.begin(), tet.end());
  return std::adjacent_find(tet.begin(), tet.end()) != tet.end();
}

bool is_flat(const Tetrahedron& t) {
  const Vec3 p = t.b - t.a, q = t.c - t.a, r = t.d - t.a;
  const double longest =
      std::sqrt(std::max({p.squaredNorm(), q.squaredNorm(), r.squaredNorm(), (q - p).squaredNorm(),
                          (r - p).squaredNorm(), (r - q).squaredNorm()}));
  const double largest_twice_area = std::max(
      {p.cross(q).norm(), q.cross(r).norm(), r.cross(p).norm(), (q - p).cross(r - p).norm()});
  // Six volumes are the largest face's twice area times the smallest height.
  const double six_volumes = std::abs(p.cross(q).dot(r));
  return !(six_volumes > smallest_height_ratio * longest * largest_twice_area);
}

void find_bad_shapes(const TetMesh& mesh, std::vector<TetFault>& faults) {
  std::vector<TetFault> repeated, flat, inverted;
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    const auto id = static_cast<std::int64_t>(t);
    const Tetrahedron corners = corners_of(mesh, mesh.tets[t]);
    if (has_vertex_twice(mesh.tets[t])) {
      repeated.push_back({TetFaultKind::repeated_vertex, id});
    } else if (is_flat(corners)) {
      flat.push_back({TetFaultKind::flat, id});
    } else if (signed_volume(corners) < 0) {
      inverted.push_back({TetFaultKind::inverted, id});
    }
  }
  for (const auto* some : {&repeated, &flat, &inverted})
    faults.insert(faults.end(), some->begin(), some->end());
}

// Positive tetrahedra on both sides of a face run around it in opposite directions. Where two run
// in the same one, they are on the same side.
void find_overlaps(const TetMesh& mesh, std::vector<TetFault>& faults) {
  struct DirectedFace {
    TriangleIndices corners;  // Rotated so that the smallest comes first.
    std::int64_t tet;
  };
  std::vector<DirectedFace> faces;
  faces.reserve(4 * mesh.tets.size());
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    if (has_vertex_twice(mesh.tets[t])) continue;  // A fault by itself; its faces have no side.
    for (const auto& face : tet_faces) {
      TriangleIndices corners{mesh.tets[t][face[0]], mesh.tets[t][face[1]], mesh.tets[t][face[2]]};
      std::rotate(corners.begin(), std::min_element(corners.begin(), corners.end()), corners.end());
      faces.push_back({corners, static_cast<std::int64_t>(t)});
    }
  }
  std::sort(faces.begin(), faces.end(), [](const DirectedFace& a, const DirectedFace& b) {
    return a.corners != b.corners ? a.corners < b.corners : a.tet < b.tet;
  });
  std::vector<TetFault> overlaps;
  for (std::size_t i = 1; i < faces.size(); ++i) {
    if (faces[i].corners == faces[i - 1].corners) {
      overlaps.push_back({TetFaultKind::overlap, faces[i - 1].tet, faces[i].tet});
    }
  }
  // Two tetrahedra on the same four vertices share four faces; once is enough.
  const auto key = [](const TetFault& fault) { return std::pair(fault.first, fault.second); };
  std::sort(overlaps.begin(), overlaps.end(),
            [&](const TetFault& a, const TetFault& b) { return key(a) < key(b); });
  overlaps.erase(std::unique(overlaps.begin(), overlaps.end()), overlaps.end());
  faults.insert(faults.end(), overlaps.begin(), overlaps.end());
}

void find_unused_vertices(const TetMesh& mesh, std::vector<TetFault>& faults) {
  std::vector<char> used(mesh.vertices.size(), 0);
  for (const TetIndices& tet : mesh.tets) {
    for (const std::int32_t index : tet)
      used[static_cast<std::size_t>(index)] = 1;
  }
  for (std::size_t v = 0; v < used.size(); ++v) {
    if (used[v] == 0) {
      faults.push_back({TetFaultKind::unused_vertex, static_cast<std::int64_t>(v)});
    }
  }
}

std::string named(std::int64_t tet, const TetMesh& mesh) {
  std::string text = "tetrahedron " + std::to_string(tet) + " (";
  for (std::size_t i = 0; i < 4; ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(mesh.tets[static_cast<std::size_t>(tet)][i]);
  }
  return text + ")";
}

}  // namespace

std::vector<TetFault> find_faults(const TetMesh& mesh) {
  std::vector<TetFault> faults;
  find_bad_indices(mesh, faults);
  find_bad_coordinates(mesh, faults);
  if (!faults.empty()) return faults;
  find_bad_shapes(mesh, faults);
  find_overlaps(mesh, faults);
  find_unused_vertices(mesh, faults);
  return faults;
}

std::string describe(const TetFault& fault, const TetMesh& mesh) {
  switch (fault.kind) {
    case TetFaultKind::index_out_of_range:
      return named(fault.first, mesh) + " has the vertex " + std::to_string(fault.second) +
             "; the mesh has vertices 0 to " +
             std::to_string(static_cast<std::int64_t>(mesh.vertices.size()) - 1);
    case TetFaultKind::not_finite:
      return "vertex " + std::to_string(fault.first) + " is not finite";
    case TetFaultKind::repeated_vertex:
      return named(fault.first, mesh) + " has a vertex twice";
    case TetFaultKind::flat:
      return named(fault.first, mesh) + " is flat: its corners are on a plane";
    case TetFaultKind::inverted:
      return named(fault.first, mesh) +
             " is inverted: its first three corners must appear counterclockwise from the fourth";
    case TetFaultKind::overlap:
      return named(fault.first, mesh) + " and " + named(fault.second, mesh) +
             " lie on the same side of a common face, or more than two meet there";
    case TetFaultKind::unused_vertex:
      return "vertex " + std::to_string(fault.first) +
             " belongs to no tetrahedron, so it would have no mass";
  }
  return "unknown fault";
}

}  // namespace sluice::geometry
