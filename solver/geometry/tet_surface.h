// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "solver/geometry/tet_mesh.h"
#include "solver/geometry/triangle_mesh.h"

namespace sluice::geometry {

/// The surface of a volume, and where its parts come from.
struct TetSurface {
  TriangleMesh mesh;                    ///< Outward where the tetrahedra are positive.
  std::vector<std::int32_t> vertex_of;  ///< By vertex of `mesh`: the volume's vertex; ascending.
  std::vector<std::int32_t> tet_of;     ///< By triangle of `mesh`: its tetrahedron; ascending.
};

/// The faces that belong to one tetrahedron only, and the vertices they use.
///
/// Closed, as the boundary of any volume is; a manifold if no two tetrahedra touch in an edge or a
/// vertex alone. Indices must be in range (find_faults).
/// Cost: sorts all faces, some 100 bytes and 1 us a tetrahedron.
[[nodiscard]] TetSurface boundary_surface(const TetMesh& volume);

}  // namespace sluice::geometry
