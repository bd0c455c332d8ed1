// SPDX-License-Identifier: Apache-2.0
#include "server/convert/mesh_convert.h"

#include <fmt/format.h>

#include <optional>
#include <span>
#include <utility>

#include "solver/geometry/mesh_file.h"
#include "solver/geometry/volume_file.h"

namespace sluice::convert {
namespace {

std::optional<AssetFile> find_file(const std::string& name, const std::string& path,
                                   const char* alternative, const AssetResolver& assets,
                                   ProblemSink& problems) {
  if (name.empty()) {
    problems.error(path, fmt::format("is required: the name of a mesh file, or a {}", alternative));
    return std::nullopt;
  }
  Result<AssetFile> file = assets(name);
  if (!file) {
    problems.error(path, file.error().message);
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

geometry::TriangleMesh read_surface(const std::string& name, const std::string& path,
                                    const char* alternative, const AssetResolver& assets,
                                    BodyBudget& budget, ProblemSink& problems) {
  const auto file = find_file(name, path, alternative, assets, problems);
  if (!file) return {};
  const auto format = geometry::mesh_format_from_name(file->file_name);
  if (!format) {
    problems.error(path, fmt::format("\"{}\" is not the name of an .obj, .ply or .stl file",
                                     excerpt(file->file_name)));
    return {};
  }
  auto mesh = or_problem(geometry::read_mesh(bytes_of(*file), *format), path, problems);
  if (!mesh ||
      !take_mesh({count(mesh->vertices), count(mesh->triangles), 0}, path, budget, problems)) {
    return {};
  }
  return *std::move(mesh);
}

SoftBodyMesh read_volume_or_surface(const std::string& name, const std::string& path,
                                    const AssetResolver& assets, BodyBudget& budget,
                                    ProblemSink& problems) {
  const auto file = find_file(name, path, "shape", assets, problems);
  if (!file) return {};
  if (const auto format = geometry::volume_format_from_name(file->file_name)) {
    auto mesh = or_problem(geometry::read_tet_mesh(bytes_of(*file), *format), path, problems);
    if (!mesh ||
        !take_mesh({count(mesh->vertices), 0, count(mesh->tets)}, path, budget, problems)) {
      return {};
    }
    return *std::move(mesh);
  }
  if (const auto format = geometry::mesh_format_from_name(file->file_name)) {
    auto mesh = or_problem(geometry::read_mesh(bytes_of(*file), *format), path, problems);
    if (!mesh) return {};
    return *std::move(mesh);
  }
  problems.error(path, fmt::format("\"{}\" is not the name of an .msh, .vtk, .vtu, .obj, .ply or "
                                   ".stl file",
                                   excerpt(file->file_name)));
  return {};
}

}  // namespace sluice::convert
