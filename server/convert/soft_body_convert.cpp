// SPDX-License-Identifier: Apache-2.0
#include "server/convert/soft_body_convert.h"

#include <fmt/format.h>

#include <optional>
#include <span>
#include <utility>
#include <variant>

#include "server/convert/body_shape.h"
#include "server/convert/material_convert.h"
#include "server/convert/mesh_convert.h"
#include "server/convert/pin_convert.h"
#include "server/convert/wall_convert.h"
#include "solver/geometry/fill_shape.h"
#include "solver/geometry/tetrahedralize.h"

namespace sluice::convert {
namespace {

// [m] Of the bounding box.
double longest_side(std::span<const Vec3> points) {
  Vec3 lower = points.front(), upper = points.front();
  for (const Vec3& point : points) {
    lower = lower.cwiseMin(point);
    upper = upper.cwiseMax(point);
  }
  return (upper - lower).maxCoeff();
}

geometry::TetMesh take_filled(Result<geometry::TetMesh> filled, const std::string& path,
                              BodyBudget& budget, ProblemSink& problems) {
  if (!filled) {
    problems.error(path, filled.error().message);
    return {};
  }
  const auto vertex_count = static_cast<std::int64_t>(filled.value().vertices.size());
  const auto tet_count = static_cast<std::int64_t>(filled.value().tets.size());
  if (!take_mesh({vertex_count, 0, tet_count}, path, budget, problems)) return {};
  return std::move(filled).value();
}

// The mesh of a file; a surface is filled where it stands, so that elements have their size there.
geometry::TetMesh mesh_from_file(const v1::SoftBody& body, const std::string& path,
                                 const Placement& placement, const AssetResolver& assets,
                                 BodyBudget& budget, ProblemSink& problems) {
  const MeshOrder order = order_mesh(body, path, "shape", placement.scale, problems);
  SoftBodyMesh mesh = read_volume_or_surface(order, assets, budget, problems);
  if (auto* volume = std::get_if<geometry::TetMesh>(&mesh)) {
    if (body.has_element_size()) {
      problems.error(child_path(path, "element_size"),
                     "has no use: the file has tetrahedra of its own");
    }
    placement.apply(volume->vertices);
    return std::move(*volume);
  }
  auto* surface = std::get_if<geometry::TriangleMesh>(&mesh);
  if (surface == nullptr || surface->triangles.empty()) return {};
  placement.apply(surface->vertices);
  const auto size = element_size(body, path, longest_side(surface->vertices), problems);
  if (!size) return {};
  return take_filled(geometry::tetrahedralize(*surface, {*size, budget.tetrahedron_count}),
                     order.path, budget, problems);
}

geometry::TetMesh mesh_from_shape(const v1::SoftBody& body, const std::string& path,
                                  const Placement& placement, BodyBudget& budget,
                                  ProblemSink& problems) {
  refuse_weld_distance(body, path, problems);
  const auto shape = convert_body_shape(body.shape(), path, placement, problems);
  if (!shape) return {};
  const auto size = element_size(body, path, geometry::longest_side(*shape), problems);
  if (!size) return {};
  geometry::TetMesh mesh =
      take_filled(geometry::fill_shape(*shape, *size, budget.tetrahedron_count),
                  child_path(path, "shape"), budget, problems);
  placement.apply(mesh.vertices);
  return mesh;
}

}  // namespace

scene::SoftBody convert_soft_body(const v1::SoftBody& body, const std::string& path,
                                  const AssetResolver& assets, BodyBudget& budget,
                                  ProblemSink& problems) {
  scene::SoftBody converted;  // Its defaults are the documented ones.
  converted.name = body.name();
  const Placement placement =
      body.has_transform()
          ? convert_placement(body.transform(), child_path(path, "transform"), problems)
          : Placement{};
  switch (body.geometry_case()) {
    case v1::SoftBody::kMesh:
      converted.mesh = mesh_from_file(body, path, placement, assets, budget, problems);
      break;
    case v1::SoftBody::kShape:
      converted.mesh = mesh_from_shape(body, path, placement, budget, problems);
      break;
    case v1::SoftBody::GEOMETRY_NOT_SET:
      problems.error(path, "needs a `mesh` (a file) or a `shape`");
      break;
  }
  converted.velocity =
      problems.vector(body.velocity(), child_path(path, "velocity")).value_or(Vec3::Zero());
  if (body.has_density()) converted.density = body.density();
  if (body.has_material()) {
    converted.material = convert_material(body.material(), child_path(path, "material"), problems);
  }
  if (body.has_damping()) converted.damping = body.damping();
  if (body.has_gravity_scale()) converted.gravity_scale = body.gravity_scale();
  if (body.has_friction()) converted.friction = body.friction();
  converted.wall = convert_wall(body.wall(), child_path(path, "wall"), problems);
  converted.pins = convert_pins(body.pins(), child_path(path, "pins"), converted.mesh.vertices,
                                budget, problems);
  return converted;
}

}  // namespace sluice::convert
