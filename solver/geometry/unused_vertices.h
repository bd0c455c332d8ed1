// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/geometry/tet_mesh.h"
#include "solver/geometry/triangle_mesh.h"

namespace sluice::geometry {

/// Leaves out the vertices that no triangle (or tetrahedron) has; the others keep their order. An
/// unused vertex would have no mass. Domain: indices in range. Cost: linear.
void leave_out_unused(TriangleMesh& mesh);
void leave_out_unused(TetMesh& mesh);

}  // namespace sluice::geometry
