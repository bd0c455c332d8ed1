// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "solver/geometry/triangle_mesh.h"
#include "solver/result.h"

namespace sluice::geometry {

enum class MeshFormat {
  obj,  ///< Wavefront OBJ. Statements other than `v` and `f` are skipped.
  ply,  ///< PLY 1.0, ascii or binary of either byte order: `vertex` x y z, `face` vertex_indices.
  stl,  ///< STL, ascii or binary. Corners with equal coordinates become one vertex.
  vtp,  ///< VTK XML polygons (PolyData), with arrays in any form: vtk_xml.h.
};

/// The format that a file name's ending stands for (.obj, .ply, .stl, .vtp, any case), if any.
[[nodiscard]] std::optional<MeshFormat> mesh_format_from_name(std::string_view name) noexcept;

/// A surface as a file has it, and what its author should know of how it was read: sentences whose
/// subject is the file.
struct SurfaceFile : TriangleMesh {
  std::vector<std::string> remarks;
};

/// Reads a surface from the bytes of a mesh file.
///
/// Vertices keep the file's order and unit (for STL: order of first use); polygons are split into
/// triangles (polygon_triangles.h); normals, colours, groups and elements of no use here are
/// skipped. Lines end with \n, \r\n or \r; a byte order mark of UTF-8 is skipped. Errors:
/// `invalid_mesh`, with the line (text) or byte (binary) and what is wrong there: numbers
///   that are malformed or not finite, indices out of range, a file cut short, a mesh without
///   triangles, a file of another kind (with how it starts), UTF-16. Whether the triangles make a
///   usable cloth is for scene validation to say.
/// Cost: time and memory are linear in `bytes.size()`, whatever counts a header claims, but for
///   polygons that are not convex (see there) and for what is compressed (vtk_xml.h).
[[nodiscard]] Result<SurfaceFile> read_mesh(std::span<const std::byte> bytes, MeshFormat format);

}  // namespace sluice::geometry
