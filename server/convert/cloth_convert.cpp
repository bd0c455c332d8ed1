// SPDX-License-Identifier: Apache-2.0
#include "server/convert/cloth_convert.h"

#include <fmt/format.h>

#include <array>
#include <utility>
#include <vector>

#include "server/convert/material_convert.h"
#include "server/convert/mesh_convert.h"
#include "server/convert/pin_convert.h"
#include "server/convert/shape_convert.h"
#include "server/convert/wall_convert.h"

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

geometry::TriangleMesh convert_grid(const v1::ClothGrid& grid, const std::string& path,
                                    BodyBudget& budget, ProblemSink& problems) {
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
  if (!take_mesh({count, 2 * count, 0}, vertices_path, budget, problems)) return {};
  return make_grid({grid.size(0), grid.size(1)}, {grid.vertices(0), grid.vertices(1)});
}

void convert_springs(const v1::Cloth& cloth, scene::Cloth& converted) {
  if (cloth.has_structural_stiffness()) {
    converted.structural_stiffness = cloth.structural_stiffness();
  }
  if (cloth.has_shear_stiffness()) converted.shear_stiffness = cloth.shear_stiffness();
  if (cloth.has_bend_stiffness()) converted.bend_stiffness = cloth.bend_stiffness();
}

void refuse_springs(const v1::Cloth& cloth, const std::string& path, ProblemSink& problems) {
  const auto refuse = [&](bool is_given, const char* field) {
    if (!is_given) return;
    problems.error(child_path(path, field),
                   "is of springs, and the sheet has none: its `shell` says how stiff it is");
  };
  refuse(cloth.has_structural_stiffness(), "structural_stiffness");
  refuse(cloth.has_shear_stiffness(), "shear_stiffness");
  refuse(cloth.has_bend_stiffness(), "bend_stiffness");
}

}  // namespace

scene::Cloth convert_cloth(const v1::Cloth& cloth, const std::string& path,
                           const AssetResolver& assets, BodyBudget& budget, ProblemSink& problems) {
  scene::Cloth converted;  // Its defaults are the documented ones.
  converted.name = cloth.name();
  const Placement placement =
      cloth.has_transform()
          ? convert_placement(cloth.transform(), child_path(path, "transform"), problems)
          : Placement{};
  switch (cloth.geometry_case()) {
    case v1::Cloth::kMesh:
      converted.mesh = read_surface(order_mesh(cloth, path, "grid", placement.scale, problems),
                                    assets, budget, problems);
      break;
    case v1::Cloth::kGrid:
      refuse_weld_distance(cloth, path, problems);
      converted.mesh = convert_grid(cloth.grid(), child_path(path, "grid"), budget, problems);
      break;
    case v1::Cloth::GEOMETRY_NOT_SET:
      problems.error(path, "needs a `mesh` (a file) or a `grid`");
      break;
  }
  placement.apply(converted.mesh.vertices);
  converted.velocity =
      problems.vector(cloth.velocity(), child_path(path, "velocity")).value_or(Vec3::Zero());
  if (cloth.has_area_density()) converted.area_density = cloth.area_density();
  if (cloth.has_shell()) {
    refuse_springs(cloth, path, problems);
    converted.shell = convert_shell(cloth.shell(), child_path(path, "shell"), problems);
  } else {
    convert_springs(cloth, converted);
  }
  if (cloth.has_damping()) converted.damping = cloth.damping();
  if (cloth.has_thickness()) converted.thickness = cloth.thickness();
  if (cloth.has_gravity_scale()) converted.gravity_scale = cloth.gravity_scale();
  if (cloth.has_friction()) converted.friction = cloth.friction();
  converted.wall = convert_wall(cloth.wall(), child_path(path, "wall"), problems);
  converted.pins = convert_pins(cloth.pins(), child_path(path, "pins"), converted.mesh.vertices,
                                budget, problems);
  return converted;
}

}  // namespace sluice::convert
