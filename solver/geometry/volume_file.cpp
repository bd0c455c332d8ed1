// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/volume_file.h"

#include <algorithm>

#include "solver/geometry/mesh_readers.h"
#include "solver/geometry/volume_readers.h"

namespace sluice::geometry {
namespace {

using mesh_readers::ends_with_ignoring_case;
using volume_readers::Cells;

Result<Cells> read(std::span<const std::byte> bytes, VolumeFormat format) {
  const std::string_view text{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  switch (format) {
    case VolumeFormat::msh:
      return volume_readers::read_msh(text);
    case VolumeFormat::vtk:
      return volume_readers::read_vtk(text);
    case VolumeFormat::vtu:
      return volume_readers::read_vtu(text);
  }
  return mesh_readers::mesh_error("unknown mesh format");
}

// Leaves out the vertices that no cell uses, and numbers those of the cells anew.
template <typename Cell>
std::vector<Vec3> keep_used(const std::vector<Vec3>& vertices, std::vector<Cell>& cells) {
  std::vector<std::int32_t> kept(vertices.size(), -1);
  for (const Cell& cell : cells) {
    for (const std::int32_t corner : cell)
      kept[static_cast<std::size_t>(corner)] = 0;
  }
  std::vector<Vec3> used;
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    if (kept[v] < 0) continue;
    kept[v] = static_cast<std::int32_t>(used.size());
    used.push_back(vertices[v]);
  }
  for (Cell& cell : cells) {
    for (std::int32_t& corner : cell)
      corner = kept[static_cast<std::size_t>(corner)];
  }
  return used;
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

Result<TetMesh> read_tet_mesh(std::span<const std::byte> bytes, VolumeFormat format) {
  Result<Cells> cells = read(bytes, format);
  if (!cells) return cells.error();
  TetMesh mesh;
  mesh.tets = std::move(cells.value().tets);
  if (mesh.tets.empty()) return mesh_readers::mesh_error("the mesh file has no tetrahedra");
  mesh.vertices = keep_used(cells.value().vertices, mesh.tets);
  const bool all_inverted =
      std::all_of(mesh.tets.begin(), mesh.tets.end(),
                  [&](const TetIndices& tet) { return signed_volume(corners_of(mesh, tet)) < 0; });
  if (all_inverted) {
    for (TetIndices& tet : mesh.tets)
      std::swap(tet[2], tet[3]);
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
  mesh.vertices = keep_used(cells.value().vertices, mesh.triangles);
  return mesh;
}

}  // namespace sluice::geometry
