// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "solver/geometry/triangle_mesh.h"
#include "solver/result.h"

/// Private to read_mesh: one reader a format. Each checks numbers and indices; read_mesh checks the
/// rest.
namespace sluice::geometry::mesh_readers {

/// Vertices and triangles are counted with 32 bits.
constexpr std::size_t max_vertex_count = 0x7fffffff;

Result<TriangleMesh> read_obj(std::string_view text);
Result<TriangleMesh> read_ply(std::string_view bytes);
Result<TriangleMesh> read_stl(std::string_view bytes);

inline Error mesh_error(std::string message) {
  return {ErrorCode::invalid_mesh, std::move(message)};
}

/// What a message may quote of a file: short, and printable whatever the file holds.
std::string quoted(std::string_view text);

/// Whether a file's name ends so (given in lower case, with the dot) and has more before it.
bool ends_with_ignoring_case(std::string_view name, std::string_view ending);

}  // namespace sluice::geometry::mesh_readers
