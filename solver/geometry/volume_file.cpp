// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/volume_file.h"

#include <algorithm>

#include "solver/geometry/mesh_readers.h"
#include "solver/geometry/text_encoding.h"
#include "solver/geometry/unused_vertices.h"
#include "solver/geometry/volume_readers.h"

namespace sluice::geometry {
namespace {

using mesh_readers::ends_with_ignoring_case;
using volume_readers::Cells;

Result<Cells> read(std::span<const std::byte> bytes, VolumeFormat format) {
  const Result<std::string_view> text = mesh_text::without_byte_order_mark(
      {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!text) return text.error();
  switch (format) {
    case VolumeFormat::msh:
      return volume_readers::read_msh(text.value());
    case VolumeFormat::vtk:
      return volume_readers::read_vtk(text.value());
    case VolumeFormat::vtu:
      return volume_readers::read_vtu(text.value());
  }
  return mesh_readers::mesh_error("unknown mesh format");
}

}  // namespace

std::string volume_readers::only_linear(const std::string& found) {
  return "found " + found +
         "; only tetrahedra with 4 corners and triangles with 3 are allowed (points and lines are "
         "skipped)";
}

std::optional<VolumeFormat> volume_format_from_name(std::string_view name) noexcept {
  if (ends_with_ignoring_case(name, ".msh")) return VolumeFormat::msh;
  if (ends_with_ignoring_case(name, ".vtk")) return VolumeFormat::vtk;
  if (ends_with_ignoring_case(name, ".vtu")) return VolumeFormat::vtu;
  return std::nullopt;
}

Result<VolumeFile> read_tet_mesh(std::span<const std::byte> bytes, VolumeFormat format) {
  Result<Cells> cells = read(bytes, format);
  if (!cells) return cells.error();
  VolumeFile mesh;
  mesh.tets = std::move(cells.value().tets);
  if (mesh.tets.empty()) return mesh_readers::mesh_error("the mesh file has no tetrahedra");
  mesh.vertices = std::move(cells.value().vertices);
  const std::size_t vertex_count = mesh.vertices.size();
  leave_out_unused(mesh);
  if (const std::size_t unused = vertex_count - mesh.vertices.size(); unused > 0) {
    mesh.remarks.push_back(
        std::to_string(unused) + " of " + std::to_string(vertex_count) +
        " vertices are of no tetrahedron and were left out: indices are of the " +
        std::to_string(mesh.vertices.size()) + " that are left");
  }
  const bool all_inverted =
      std::all_of(mesh.tets.begin(), mesh.tets.end(),
                  [&](const TetIndices& tet) { return signed_volume(corners_of(mesh, tet)) < 0; });
  if (all_inverted) {
    for (TetIndices& tet : mesh.tets)
      std::swap(tet[2], tet[3]);
  }
  if (const std::int64_t count = cells.value().high_order_count; count > 0) {
    mesh.remarks.push_back(
        std::to_string(count) +
        " elements of second or higher order are taken by their corners, with straight edges");
  }
  return mesh;
}

Result<TriangleMesh> read_triangle_mesh(std::span<const std::byte> bytes, VolumeFormat format) {
  Result<Cells> cells = read(bytes, format);
  if (!cells) return cells.error();
  if (!cells.value().tets.empty()) {
    return mesh_readers::mesh_error("the mesh file has " +
                                    std::to_string(cells.value().tets.size()) +
                                    " tetrahedra where a surface is expected");
  }
  TriangleMesh mesh;
  mesh.triangles = std::move(cells.value().triangles);
  if (mesh.triangles.empty()) return mesh_readers::mesh_error("the mesh file has no triangles");
  mesh.vertices = std::move(cells.value().vertices);
  leave_out_unused(mesh);
  return mesh;
}

}  // namespace sluice::geometry
