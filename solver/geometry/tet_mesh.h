// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "solver/types.h"

namespace sluice::geometry {

/// Corners of a tetrahedron, as indices into an array of vertices.
using TetIndices = std::array<std::int32_t, 4>;

/// A volume of tetrahedra.
///
/// Orientation: a tetrahedron (a, b, c, d) is positive, as all of a good mesh are, if a, b, c
/// appear counterclockwise from d: (b - a) x (c - a) . (d - a) > 0. Gmsh and VTK number corners
/// this way.
struct TetMesh {
  std::vector<Vec3> vertices;    ///< [m]
  std::vector<TetIndices> tets;  ///< Each index in [0, vertices.size()).
};

/// One tetrahedron by its corners.
struct Tetrahedron {
  Vec3 a, b, c, d;
};

/// Which corners face each corner: face i lies opposite corner i, outward if the tetrahedron is
/// positive.
inline constexpr std::array<std::array<std::size_t, 3>, 4> tet_faces{
    {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}};

/// The corners of one tetrahedron of a mesh.
[[nodiscard]] inline Tetrahedron corners_of(const TetMesh& mesh, const TetIndices& tet) {
  const auto at = [&](std::int32_t i) { return mesh.vertices[static_cast<std::size_t>(i)]; };
  return {at(tet[0]), at(tet[1]), at(tet[2]), at(tet[3])};
}

/// Volume [m^3], negative if the tetrahedron is inverted.
[[nodiscard]] inline double signed_volume(const Tetrahedron& t) {
  return (t.b - t.a).cross(t.c - t.a).dot(t.d - t.a) / 6;
}

/// Sum of the signed volumes [m^3].
[[nodiscard]] double signed_volume(const TetMesh& mesh);

}  // namespace sluice::geometry
