// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "solver/geometry/tet_mesh.h"
#include "solver/geometry/triangle_mesh.h"
#include "solver/result.h"

namespace sluice::geometry {

struct TetrahedralizeSettings {
  double cell_size = 0;         ///< [m] > 0: edge of the lattice's cubes; tetrahedra are as large.
  std::int64_t cell_limit = 0;  ///< Most cubes that the surface's bounding box may take.
};

/// Fills a closed surface with tetrahedra of one size and of guaranteed quality.
///
/// Guarantee: dihedral angles between 10.78 and 164.74 degrees (stuff_isosurface), and boundary
///   vertices on the surface, but for rounding.
///   Corners and edges of the surface are cut off by less than a cell, and parts thinner than a
///   cell may be lost: compare the volumes.
///   About 12 tetrahedra for each cube inside.
/// Topology: that of the surface where it is resolved. Parts of it that are within some cells of
///   each other may fuse, or touch in an edge or a vertex alone.
/// Errors: `invalid_mesh` for a surface that is not closed (check_closed), that intersects itself,
///   whose shells lie in each other with like orientation, for a cell size that is not positive,
///   that no tetrahedron of fits, or that takes more than `cell_limit` cubes.
/// Determinism: the same bits for any number of threads.
/// Cost: some 30 bytes a cube of the box and 2 us a tetrahedron.
[[nodiscard]] Result<TetMesh> tetrahedralize(const TriangleMesh& surface,
                                             const TetrahedralizeSettings& settings);

}  // namespace sluice::geometry
