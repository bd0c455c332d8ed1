// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "solver/geometry/tet_mesh.h"
#include "solver/result.h"

namespace sluice::geometry {

/// Fills a box centred at the origin with tetrahedra whose edges are about `element_size` [m].
///
/// The box is cut into equal cells, as near to cubes of that edge as whole numbers allow, at least
/// one along each axis; each cell into five tetrahedra, one of them in its middle, mirrored from
/// cell to cell so that faces meet and no direction is preferred. In cubes dihedral angles are
/// 54.7, 70.5 and 90 degrees. Vertex i + (nx + 1) (j + (ny + 1) k) is the i-th along x.
///
/// Both arguments finite and > 0. Errors: `invalid_mesh` for more than `most_tets` tetrahedra.
[[nodiscard]] Result<TetMesh> box_tets(const Vec3& half_extents, double element_size,
                                       std::int64_t most_tets);

}  // namespace sluice::geometry
