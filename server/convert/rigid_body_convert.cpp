// SPDX-License-Identifier: Apache-2.0
#include "server/convert/rigid_body_convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>
#include <utility>

#include "server/convert/body_shape.h"
#include "server/convert/mesh_convert.h"
#include "server/convert/wall_convert.h"
#include "solver/geometry/fill_shape.h"
#include "solver/geometry/tessellate_shape.h"

namespace sluice::convert {
namespace {

constexpr double fastest_turn = 36'000;  // [degrees/s] as documented in scene.proto
constexpr int most_keys = 100'000;

geometry::TriangleMesh mesh_from_shape(const v1::RigidBody& body, const std::string& path,
                                       const Placement& placement, BodyBudget& budget,
                                       ProblemSink& problems) {
  refuse_weld_distance(body, path, problems);
  const auto shape = convert_body_shape(body.shape(), path, placement, problems);
  if (!shape) return {};
  const auto size = element_size(body, path, geometry::longest_side(*shape), problems);
  if (!size) return {};
  const std::string shape_path = child_path(path, "shape");
  auto made = geometry::tessellate_shape(*shape, *size, budget.triangle_count);
  if (!made) {
    problems.error(shape_path, made.error().message);
    return {};
  }
  geometry::TriangleMesh mesh = std::move(made).value();
  const MeshSize used{static_cast<std::int64_t>(mesh.vertices.size()),
                      static_cast<std::int64_t>(mesh.triangles.size()), 0};
  if (!take_mesh(used, shape_path, budget, problems)) return {};
  placement.apply(mesh.vertices);
  return mesh;
}

geometry::TriangleMesh mesh_from_file(const v1::RigidBody& body, const std::string& path,
                                      const Placement& placement, const AssetResolver& assets,
                                      BodyBudget& budget, ProblemSink& problems) {
  if (body.has_element_size()) {
    problems.error(child_path(path, "element_size"),
                   "has no use: the triangles are those of the file");
  }
  const MeshOrder order = order_mesh(body, path, "shape", placement.scale, problems);
  geometry::TriangleMesh mesh = read_surface(order, assets, budget, problems);
  placement.apply(mesh.vertices);
  return mesh;
}

scene::PoseKey convert_key(const v1::PoseKey& key, const std::string& path, ProblemSink& problems) {
  scene::PoseKey converted{};
  if (key.has_time_seconds()) {
    converted.time = key.time_seconds();
  } else {
    problems.error(child_path(path, "time_seconds"), "is required, in seconds");
  }
  converted.offset =
      problems.vector(key.offset(), child_path(path, "offset")).value_or(Vec3::Zero());
  v1::Transform turn;
  *turn.mutable_rotation_degrees() = key.rotation_degrees();
  converted.rotation = Eigen::Quaterniond(convert_placement(turn, path, problems).rotation);
  return converted;
}

}  // namespace

scene::RigidBody convert_rigid_body(const v1::RigidBody& body, const std::string& path,
                                    const AssetResolver& assets, BodyBudget& budget,
                                    ProblemSink& problems) {
  scene::RigidBody converted;  // Its defaults are the documented ones.
  converted.name = body.name();
  const Placement placement =
      body.has_transform()
          ? convert_placement(body.transform(), child_path(path, "transform"), problems)
          : Placement{};
  switch (body.geometry_case()) {
    case v1::RigidBody::kMesh:
      converted.mesh = mesh_from_file(body, path, placement, assets, budget, problems);
      break;
    case v1::RigidBody::kShape:
      converted.mesh = mesh_from_shape(body, path, placement, budget, problems);
      break;
    case v1::RigidBody::GEOMETRY_NOT_SET:
      problems.error(path, "needs a `mesh` (a file) or a `shape`");
      break;
  }
  converted.velocity =
      problems.vector(body.velocity(), child_path(path, "velocity")).value_or(Vec3::Zero());
  const std::string turn_path = child_path(path, "angular_velocity_degrees");
  const auto turn = problems.vector(body.angular_velocity_degrees(), turn_path);
  if (turn && problems.in_range(*turn, -fastest_turn, fastest_turn, turn_path)) {
    converted.angular_velocity = *turn * std::numbers::pi / 180;
  }
  if (body.has_density()) converted.density = body.density();
  if (body.has_friction()) converted.friction = body.friction();
  converted.wall = convert_wall(body.wall(), child_path(path, "wall"), problems);
  if (body.has_restitution()) converted.restitution = body.restitution();
  if (body.has_damping()) converted.damping = body.damping();
  if (body.has_gravity_scale()) converted.gravity_scale = body.gravity_scale();
  const std::string script_path = child_path(path, "script");
  if (body.script_size() > most_keys) {
    problems.error(script_path, fmt::format("has {} keys; at most {} are allowed",
                                            body.script_size(), most_keys));
  }
  for (int i = 0; i < std::min(body.script_size(), most_keys); ++i) {
    converted.script.push_back(convert_key(
        body.script(i), element_path(script_path, static_cast<std::size_t>(i)), problems));
  }
  return converted;
}

}  // namespace sluice::convert
