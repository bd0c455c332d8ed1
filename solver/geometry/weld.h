// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "solver/geometry/tet_mesh.h"
#include "solver/geometry/triangle_mesh.h"

namespace sluice::geometry {

template <typename Mesh>
struct Welded {
  Mesh mesh;
  std::int64_t joined_count = 0;     ///< Vertices that became another one.
  std::int64_t collapsed_count = 0;  ///< Triangles or tetrahedra that had two corners become one.
};

/// Joins the seams of a mesh: where two open edges of triangles (or open faces of tetrahedra) have
/// their vertices at the same places, the vertices become one.
///
/// Exporters double vertices where texture coordinates or normals jump, and finite element programs
/// where a field does. Only what is open is joined: closed parts that touch, in a point or a face,
/// stay apart, and so do two sheets that touch in a point. So nothing is joined that could be
/// simulated apart, for a body whose parts touch is refused.
///
/// `distance` [the mesh's unit, >= 0]: how far vertices may be apart; 0 joins only those at
///   exactly the same place. A vertex goes to the first open vertex, by index, within that
///   distance, so that chains of near vertices do not run together. Edges no longer than it
///   collapse.
/// The vertices that are left keep their order and their places; those joined take the first's.
/// Cost: n log n. Domain: finite vertices, indices in range. Pure.
[[nodiscard]] Welded<TriangleMesh> weld_seams(TriangleMesh mesh, double distance);
[[nodiscard]] Welded<TetMesh> weld_seams(TetMesh mesh, double distance);

}  // namespace sluice::geometry
