// SPDX-License-Identifier: Apache-2.0
#include "server/convert/soft_body_convert.h"

#include <fmt/format.h>

#include <optional>
#include <span>
#include <utility>
#include <variant>

#include "server/convert/material_convert.h"
#include "server/convert/mesh_convert.h"
#include "server/convert/pin_convert.h"
#include "server/convert/shape_convert.h"
#include "solver/geometry/fill_shape.h"
#include "solver/geometry/tetrahedralize.h"
#include "solver/scene/validate.h"

namespace sluice::convert {
namespace {

constexpr double smallest_element = 1e-5;  // [m] as documented in scene.proto
constexpr double largest_element = 1e3;    // [m]
constexpr double elements_along_body = 12;

// The edge of elements that is wanted in a body of that size [m]; nothing after an error.
std::optional<double> element_size(const v1::SoftBody& body, const std::string& path,
                                   double longest_side, ProblemSink& problems) {
  if (!body.has_element_size()) return longest_side / elements_along_body;
  if (!problems.in_range(body.element_size(), smallest_element, largest_element,
                         child_path(path, "element_size"))) {
    return std::nullopt;
  }
  return body.element_size();
}

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
  const std::string mesh_path = child_path(path, "mesh");
  SoftBodyMesh mesh = read_volume_or_surface(body.mesh(), mesh_path, assets, budget, problems);
  if (auto* volume = std::get_if<geometry::TetMesh>(&mesh)) {
    if (body.has_element_size()) {
      problems.error(child_path(path, "element_size"),
                     "has no use: the file has tetrahedra of its own");
    }
    placement.apply(volume->vertices);
    return std::move(*volume);
  }
  auto* surface = std::get_if<geometry::TriangleMesh>(&mesh);
  if (surface == nullptr) return {};
  placement.apply(surface->vertices);
  const auto size = element_size(body, path, longest_side(surface->vertices), problems);
  if (!size) return {};
  return take_filled(geometry::tetrahedralize(*surface, {*size, budget.tetrahedron_count}),
                     mesh_path, budget, problems);
}

geometry::TetMesh mesh_from_shape(const v1::SoftBody& body, const std::string& path,
                                  const Placement& placement, BodyBudget& budget,
                                  ProblemSink& problems) {
  const std::string shape_path = child_path(path, "shape");
  const std::size_t problems_before = problems.count();
  const geometry::Shape shape = convert_shape(body.shape(), shape_path, problems);
  if (problems.count() == problems_before) {
    for (const scene::Problem& problem : scene::validate_shape(shape, shape_path))
      problems.error(problem.path, problem.message);
  }
  if (std::holds_alternative<geometry::HalfSpace>(shape.form)) {
    problems.error(shape_path, "a half-space has no end: give another shape");
  }
  if (placement.scale != 1) {
    problems.error(child_path(path, "transform.scale"),
                   "must be 1 or omitted: a shape's size is in its form");
  }
  if (problems.count() > problems_before) return {};
  const auto size = element_size(body, path, geometry::longest_side(shape), problems);
  if (!size) return {};
  geometry::TetMesh mesh = take_filled(geometry::fill_shape(shape, *size, budget.tetrahedron_count),
                                       shape_path, budget, problems);
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
  converted.pins = convert_pins(body.pins(), child_path(path, "pins"), converted.mesh.vertices,
                                budget, problems);
  return converted;
}

}  // namespace sluice::convert
