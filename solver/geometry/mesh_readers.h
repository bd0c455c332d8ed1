// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "solver/geometry/mesh_file.h"
#include "solver/geometry/polygon_triangles.h"
#include "solver/result.h"

/// Private to read_mesh: one reader a format. Each checks numbers and indices; read_mesh checks the
/// rest. Texts come without a byte order mark, but for STL, whose bytes may be anything.
namespace sluice::geometry::mesh_readers {

/// Vertices and triangles are counted with 32 bits.
constexpr std::size_t max_vertex_count = 0x7fffffff;

Result<SurfaceFile> read_obj(std::string_view text);
Result<SurfaceFile> read_ply(std::string_view bytes);
Result<SurfaceFile> read_stl(std::string_view bytes);
Result<SurfaceFile> read_vtp(std::string_view bytes);

/// The surface of polygons whose indices are in range, with a remark about those left out.
Result<SurfaceFile> from_polygons(std::vector<Vec3> vertices, const Polygons& polygons);

inline Error mesh_error(std::string message) {
  return {ErrorCode::invalid_mesh, std::move(message)};
}

/// Returns a quotation of a file for a message: short, and printable whatever the file holds.
std::string quoted(std::string_view text);

/// Whether a file's name ends with `ending` (in lower case, with the dot) and has more before it.
bool ends_with_ignoring_case(std::string_view name, std::string_view ending);

}  // namespace sluice::geometry::mesh_readers
