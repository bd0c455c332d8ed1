// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "solver/geometry/tet_mesh.h"
#include "solver/geometry/triangle_mesh.h"
#include "solver/result.h"

namespace sluice::geometry {

enum class VolumeFormat {
  msh,  ///< Gmsh MSH 2.0 to 2.2, 4.0 and 4.1, ascii or binary.
  vtk,  ///< VTK legacy unstructured grid, ascii or binary.
  vtu,  ///< VTK XML unstructured grid, with arrays in any form: vtk_xml.h.
};

/// A volume as a file has it, and what its author should know of how it was read: sentences whose
/// subject is the file.
struct VolumeFile : TetMesh {
  std::vector<std::string> remarks;
};

/// The format that a file name's ending stands for (.msh, .vtk, .vtu, any case), if any.
[[nodiscard]] std::optional<VolumeFormat> volume_format_from_name(std::string_view name) noexcept;

/// Reads the tetrahedra of a mesh file.
///
/// Vertices that no tetrahedron uses are left out; the others keep the file's order and unit.
/// Elements of higher order are reduced to their corners, with a remark.
/// Points, lines and triangles (where Gmsh keeps corners, curves and boundaries) are skipped, and
/// so are data and names. A file all of whose tetrahedra have negative volume is taken to number
/// corners the other way round, and is turned; where only some have, they stay for find_faults.
/// Errors: `invalid_mesh`, with the line (text) or byte (binary) and what is wrong there: numbers
///   that are malformed or not finite, nodes that do not exist, a file cut short, elements of any
///   other kind (hexahedra), a mesh without tetrahedra, a file of another kind (with how it
///   starts).
/// Cost: n log n in `bytes.size()`, memory linear in it, whatever counts a header claims, but for
///   what is compressed (vtk_xml.h).
[[nodiscard]] Result<VolumeFile> read_tet_mesh(std::span<const std::byte> bytes,
                                               VolumeFormat format);

/// Reads the triangles of a mesh file, as a surface or a mesh of the plane, by the same rules; a
/// file with tetrahedra is refused, for its triangles are only their boundary.
[[nodiscard]] Result<TriangleMesh> read_triangle_mesh(std::span<const std::byte> bytes,
                                                      VolumeFormat format);

}  // namespace sluice::geometry
