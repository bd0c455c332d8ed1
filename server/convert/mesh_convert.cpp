// SPDX-License-Identifier: Apache-2.0
#include "server/convert/mesh_convert.h"

#include <fmt/format.h>

#include <optional>
#include <span>
#include <utility>

#include "solver/geometry/mesh_file.h"
#include "solver/geometry/slivers.h"
#include "solver/geometry/unused_vertices.h"
#include "solver/geometry/volume_file.h"
#include "solver/geometry/weld.h"

namespace sluice::convert {
namespace {

std::optional<AssetFile> find_file(const MeshOrder& order, const AssetResolver& assets,
                                   ProblemSink& problems) {
  if (order.name.empty()) {
    problems.error(order.path,
                   fmt::format("is required: the name of a mesh file, or a {}", order.alternative));
    return std::nullopt;
  }
  Result<AssetFile> file = assets(order.name);
  if (!file) {
    problems.error(order.path, file.error().message);
    return std::nullopt;
  }
  return std::move(file).value();
}

std::span<const std::byte> bytes_of(const AssetFile& file) {
  return std::as_bytes(std::span<const char>(file.bytes));
}

template <typename Mesh>
std::optional<Mesh> or_problem(Result<Mesh> mesh, const std::string& path, ProblemSink& problems) {
  if (mesh) return std::move(mesh).value();
  problems.error(path, mesh.error().message);
  return std::nullopt;
}

template <typename Elements>
std::int64_t count(const Elements& elements) {
  return static_cast<std::int64_t>(elements.size());
}

// Joins seams; what that changed, and what the reader has to say, is a warning.
template <typename File, typename Mesh>
Mesh weld(const File& file, Mesh mesh, const MeshOrder& order, const char* cells,
          ProblemSink& problems) {
  for (const std::string& remark : file.remarks)
    problems.warning(order.path, remark);
  const std::int64_t vertex_count = count(mesh.vertices);
  geometry::Welded<Mesh> welded = geometry::weld_seams(std::move(mesh), order.weld_distance);
  if (welded.joined_count > 0) {
    problems.warning(order.path,
                     fmt::format("{} of its {} vertices were joined with others in the same place, "
                                 "along open edges: indices are of the {} that are left",
                                 welded.joined_count, vertex_count, count(welded.mesh.vertices)));
  }
  if (welded.collapsed_count > 0) {
    problems.warning(order.path,
                     fmt::format("{} {} were left out, for corners of theirs were joined",
                                 welded.collapsed_count, cells));
  }
  return std::move(welded.mesh);
}

geometry::TetMesh finish(geometry::VolumeFile file, const MeshOrder& order, ProblemSink& problems) {
  geometry::TetMesh mesh{std::move(file.vertices), std::move(file.tets)};
  mesh = weld(file, std::move(mesh), order, "tetrahedra", problems);
  if (mesh.tets.empty()) problems.error(order.path, "`weld_distance` leaves no tetrahedra");
  return mesh;
}

geometry::TriangleMesh finish(geometry::SurfaceFile file, const MeshOrder& order,
                              ProblemSink& problems) {
  geometry::TriangleMesh mesh{std::move(file.vertices), std::move(file.triangles)};
  mesh = weld(file, std::move(mesh), order, "triangles", problems);
  if (const std::int64_t slivers = geometry::take_out_slivers(mesh); slivers > 0) {
    problems.warning(order.path, fmt::format("{} triangles whose corners are on a line were taken "
                                             "out, their neighbours cut in their place",
                                             slivers));
  }
  const std::int64_t vertex_count = count(mesh.vertices);
  geometry::leave_out_unused(mesh);
  if (const std::int64_t unused = vertex_count - count(mesh.vertices); unused > 0) {
    problems.warning(order.path, fmt::format("{} of {} vertices are of no triangle and were left "
                                             "out: indices are of the {} that are left",
                                             unused, vertex_count, count(mesh.vertices)));
  }
  if (mesh.triangles.empty()) problems.error(order.path, "no triangle with an area is left of it");
  return mesh;
}

}  // namespace

bool take_mesh(const MeshSize& size, const std::string& path, BodyBudget& budget,
               ProblemSink& problems) {
  const auto refuse = [&](std::int64_t found, const char* what, std::int64_t allowed) {
    problems.error(path, fmt::format("{} {}; at most {} are allowed (less what the bodies before "
                                     "it have)",
                                     found, what, allowed));
    return false;
  };
  if (size.vertex_count > budget.vertex_count) {
    return refuse(size.vertex_count, "vertices", budget.vertex_count);
  }
  if (size.triangle_count > budget.triangle_count) {
    return refuse(size.triangle_count, "triangles", budget.triangle_count);
  }
  if (size.tetrahedron_count > budget.tetrahedron_count) {
    return refuse(size.tetrahedron_count, "tetrahedra", budget.tetrahedron_count);
  }
  budget.vertex_count -= size.vertex_count;
  budget.triangle_count -= size.triangle_count;
  budget.tetrahedron_count -= size.tetrahedron_count;
  return true;
}

geometry::TriangleMesh read_surface(const MeshOrder& order, const AssetResolver& assets,
                                    BodyBudget& budget, ProblemSink& problems) {
  const auto file = find_file(order, assets, problems);
  if (!file) return {};
  const auto format = geometry::mesh_format_from_name(file->file_name);
  if (!format) {
    problems.error(order.path,
                   fmt::format("\"{}\" is not the name of an .obj, .ply, .stl or .vtp file",
                               excerpt(file->file_name)));
    return {};
  }
  auto mesh = or_problem(geometry::read_mesh(bytes_of(*file), *format), order.path, problems);
  if (!mesh) return {};
  geometry::TriangleMesh surface = finish(*std::move(mesh), order, problems);
  if (!take_mesh({count(surface.vertices), count(surface.triangles), 0}, order.path, budget,
                 problems)) {
    return {};
  }
  return surface;
}

SoftBodyMesh read_volume_or_surface(const MeshOrder& order, const AssetResolver& assets,
                                    BodyBudget& budget, ProblemSink& problems) {
  const auto file = find_file(order, assets, problems);
  if (!file) return {};
  if (const auto format = geometry::volume_format_from_name(file->file_name)) {
    auto mesh = or_problem(geometry::read_tet_mesh(bytes_of(*file), *format), order.path, problems);
    if (!mesh) return {};
    geometry::TetMesh volume = finish(*std::move(mesh), order, problems);
    if (!take_mesh({count(volume.vertices), 0, count(volume.tets)}, order.path, budget, problems)) {
      return {};
    }
    return volume;
  }
  if (const auto format = geometry::mesh_format_from_name(file->file_name)) {
    auto mesh = or_problem(geometry::read_mesh(bytes_of(*file), *format), order.path, problems);
    if (!mesh) return {};
    return finish(*std::move(mesh), order, problems);
  }
  problems.error(order.path,
                 fmt::format("\"{}\" is not the name of an .msh, .vtk, .vtu, .obj, .ply, .stl or "
                             ".vtp file",
                             excerpt(file->file_name)));
  return {};
}

}  // namespace sluice::convert
