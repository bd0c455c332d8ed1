// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "solver/geometry/tet_mesh.h"
#include "solver/geometry/triangle_mesh.h"
#include "solver/result.h"

/// Private to read_tet_mesh: one reader a format. Each checks numbers and indices.
namespace sluice::geometry::volume_readers {

/// The contents of a file that are of use, with the file's vertices.
struct Cells {
  std::vector<Vec3> vertices;
  std::vector<TriangleIndices> triangles;
  std::vector<TetIndices> tets;
  std::int64_t high_order_count = 0;  ///< Triangles and tetrahedra of which only corners are taken.
};

Result<Cells> read_msh(std::string_view bytes);
Result<Cells> read_vtk(std::string_view bytes);
Result<Cells> read_vtu(std::string_view bytes);

/// Returns "found ...; only tetrahedra with 4 corners and triangles with 3 are allowed ...".
std::string only_linear(const std::string& found);

}  // namespace sluice::geometry::volume_readers
