// SPDX-License-Identifier: Apache-2.0
#include "server/convert/cloth_convert.h"

#include <fmt/format.h>

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "server/convert/shape_convert.h"
#include "solver/geometry/mesh_file.h"

namespace sluice::convert {
namespace {

constexpr std::int32_t fewest_grid_vertices = 2;  // along an axis, as documented in scene.proto
constexpr std::int32_t most_grid_vertices = 4096;
constexpr double longest_grid_edge = 1e4;  // [m]

// Diagonals alternate from cell to cell, so that the sheet is equally stiff along both.
geometry::TriangleMesh make_grid(const std::array<double, 2>& size,
                                 const std::array<std::int32_t, 2>& count) {
  geometry::TriangleMesh mesh;
  mesh.vertices.reserve(static_cast<std::size_t>(count[0]) * static_cast<std::size_t>(count[1]));
  for (std::int32_t j = 0; j < count[1]; ++j) {
    for (std::int32_t i = 0; i < count[0]; ++i) {
      mesh.vertices.emplace_back(size[0] * (static_cast<double>(i) / (count[0] - 1) - 0.5),
                                 size[1] * (static_cast<double>(j) / (count[1] - 1) - 0.5), 0);
    }
  }
  for (std::int32_t j = 0; j + 1 < count[1]; ++j) {
    for (std::int32_t i = 0; i + 1 < count[0]; ++i) {
      const std::int32_t a = i + count[0] * j;
      const std::int32_t b = a + 1;
      const std::int32_t c = b + count[0];
      const std::int32_t d = a + count[0];
      if ((i + j) % 2 == 0) {
        mesh.triangles.push_back({a, b, c});
        mesh.triangles.push_back({a, c, d});
      } else {
        mesh.triangles.push_back({a, b, d});
        mesh.triangles.push_back({b, c, d});
      }
    }
  }
  return mesh;
}

bool take_mesh(std::int64_t vertex_count, std::int64_t triangle_count, const std::string& path,
               ClothBudget& budget, ProblemSink& problems) {
  if (vertex_count > budget.vertex_count || triangle_count > budget.triangle_count) {
    problems.error(path, fmt::format("{} vertices and {} triangles; at most {} and {} are allowed "
                                     "(less what the cloths before it have)",
                                     vertex_count, triangle_count, budget.vertex_count,
                                     budget.triangle_count));
    return false;
  }
  budget.vertex_count -= vertex_count;
  budget.triangle_count -= triangle_count;
  return true;
}

geometry::TriangleMesh convert_grid(const v1::ClothGrid& grid, const std::string& path,
                                    ClothBudget& budget, ProblemSink& problems) {
  const std::string size_path = child_path(path, "size");
  const std::string vertices_path = child_path(path, "vertices");
  bool good = true;
  const auto refuse = [&](const std::string& where, std::string message) {
    problems.error(where, std::move(message));
    good = false;
  };
  if (grid.size_size() != 2) {
    refuse(size_path,
           fmt::format("must have exactly 2 values in metres, not {}", grid.size_size()));
  } else {
    for (int axis = 0; axis < 2; ++axis) {
      if (!(grid.size(axis) > 0 && grid.size(axis) <= longest_grid_edge)) {
        refuse(element_path(size_path, static_cast<std::size_t>(axis)),
               fmt::format("{} is not in (0, {}]", grid.size(axis), longest_grid_edge));
      }
    }
  }
  if (grid.vertices_size() != 2) {
    refuse(vertices_path, fmt::format("must have exactly 2 values, not {}", grid.vertices_size()));
  } else {
    for (int axis = 0; axis < 2; ++axis) {
      if (grid.vertices(axis) < fewest_grid_vertices || grid.vertices(axis) > most_grid_vertices) {
        refuse(element_path(vertices_path, static_cast<std::size_t>(axis)),
               fmt::format("{} is not in [{}, {}]", grid.vertices(axis), fewest_grid_vertices,
                           most_grid_vertices));
      }
    }
  }
  if (!good) return {};
  const std::int64_t count = std::int64_t{grid.vertices(0)} * grid.vertices(1);
  if (!take_mesh(count, 2 * count, vertices_path, budget, problems)) return {};
  return make_grid({grid.size(0), grid.size(1)}, {grid.vertices(0), grid.vertices(1)});
}

geometry::TriangleMesh convert_mesh(const std::string& name, const std::string& path,
                                    const AssetResolver& assets, ClothBudget& budget,
                                    ProblemSink& problems) {
  if (name.empty()) {
    problems.error(path, "is required: the name of a mesh file, or a grid");
    return {};
  }
  const Result<AssetFile> file = assets(name);
  if (!file) {
    problems.error(path, file.error().message);
    return {};
  }
  const auto format = geometry::mesh_format_from_name(file.value().file_name);
  if (!format) {
    problems.error(path, fmt::format("\"{}\" is not the name of an .obj, .ply or .stl file",
                                     excerpt(file.value().file_name)));
    return {};
  }
  const std::span<const char> bytes(file.value().bytes);
  Result<geometry::TriangleMesh> mesh = geometry::read_mesh(std::as_bytes(bytes), *format);
  if (!mesh) {
    problems.error(path, mesh.error().message);
    return {};
  }
  const auto vertex_count = static_cast<std::int64_t>(mesh.value().vertices.size());
  const auto triangle_count = static_cast<std::int64_t>(mesh.value().triangles.size());
  if (!take_mesh(vertex_count, triangle_count, path, budget, problems)) return {};
  return std::move(mesh).value();
}

// Appends the vertices in `pin.region` that no pin has yet; `taken` marks those that one has.
void pin_region(const v1::Pin& pin, const std::string& path, const geometry::TriangleMesh& mesh,
                std::vector<char>& taken, ClothBudget& budget, scene::Pin& converted,
                ProblemSink& problems) {
  const std::size_t problems_before = problems.count();
  const geometry::Shape region = convert_shape(pin.region(), path, problems);
  if (problems.count() > problems_before) return;
  budget.pin_tests -= static_cast<std::int64_t>(mesh.vertices.size());
  if (budget.pin_tests < 0) {
    problems.error(path, "the scene has too many pins with regions for its many vertices");
    return;
  }
  std::size_t inside = 0;
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    if (!mesh.vertices[v].allFinite()) continue;
    if (!(geometry::signed_distance(region, mesh.vertices[v]).distance <= 0)) continue;
    ++inside;
    if (taken[v] != 0) continue;
    taken[v] = 1;
    converted.vertices.push_back(static_cast<std::int32_t>(v));
  }
  if (inside == 0 && !mesh.vertices.empty()) {
    problems.error(path, "holds no vertex of the cloth at the start");
  }
}

std::vector<scene::Pin> convert_pins(const v1::Cloth& cloth, const std::string& path,
                                     const geometry::TriangleMesh& mesh, ClothBudget& budget,
                                     ProblemSink& problems) {
  std::vector<scene::Pin> pins;
  std::vector<char> taken(mesh.vertices.size(), 0);
  for (const v1::Pin& pin : cloth.pins()) {  // Vertices that are named come before regions.
    for (const std::int32_t vertex : pin.vertices()) {
      const auto index = static_cast<std::size_t>(vertex);
      if (vertex >= 0 && index < taken.size()) taken[index] = 1;
    }
  }
  for (const v1::Pin& pin : cloth.pins()) {
    const std::size_t index = pins.size();
    const std::string pin_path = element_path(path, index);
    scene::Pin& converted = pins.emplace_back();
    converted.name = pin.name().empty() ? fmt::format("pin{}", index) : pin.name();
    converted.velocity =
        problems.vector(pin.velocity(), child_path(pin_path, "velocity")).value_or(Vec3::Zero());
    converted.vertices.assign(pin.vertices().begin(), pin.vertices().end());
    if (pin.has_region()) {
      pin_region(pin, child_path(pin_path, "region"), mesh, taken, budget, converted, problems);
    } else if (pin.vertices().empty()) {
      problems.error(pin_path, "needs `vertices` or a `region`: it holds nothing");
    }
  }
  return pins;
}

}  // namespace

scene::Cloth convert_cloth(const v1::Cloth& cloth, const std::string& path,
                           const AssetResolver& assets, ClothBudget& budget,
                           ProblemSink& problems) {
  scene::Cloth converted;  // Its defaults are the documented ones.
  converted.name = cloth.name();
  switch (cloth.geometry_case()) {
    case v1::Cloth::kMesh:
      converted.mesh =
          convert_mesh(cloth.mesh(), child_path(path, "mesh"), assets, budget, problems);
      break;
    case v1::Cloth::kGrid:
      converted.mesh = convert_grid(cloth.grid(), child_path(path, "grid"), budget, problems);
      break;
    case v1::Cloth::GEOMETRY_NOT_SET:
      problems.error(path, "needs a `mesh` (a file) or a `grid`");
      break;
  }
  if (cloth.has_transform()) {
    const Placement placement =
        convert_placement(cloth.transform(), child_path(path, "transform"), problems);
    for (Vec3& vertex : converted.mesh.vertices) {
      vertex = placement.rotation * (placement.scale * vertex) + placement.translation;
    }
  }
  converted.velocity =
      problems.vector(cloth.velocity(), child_path(path, "velocity")).value_or(Vec3::Zero());
  if (cloth.has_area_density()) converted.area_density = cloth.area_density();
  if (cloth.has_structural_stiffness()) {
    converted.structural_stiffness = cloth.structural_stiffness();
  }
  if (cloth.has_shear_stiffness()) converted.shear_stiffness = cloth.shear_stiffness();
  if (cloth.has_bend_stiffness()) converted.bend_stiffness = cloth.bend_stiffness();
  if (cloth.has_damping()) converted.damping = cloth.damping();
  if (cloth.has_thickness()) converted.thickness = cloth.thickness();
  converted.pins = convert_pins(cloth, child_path(path, "pins"), converted.mesh, budget, problems);
  return converted;
}

}  // namespace sluice::convert
