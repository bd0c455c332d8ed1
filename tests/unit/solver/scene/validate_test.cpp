// SPDX-License-Identifier: Apache-2.0

// What tests/unit/server/convert/bad_scenes_test.cpp cannot reach from a scene file: what is known
// before, and structs that no converter makes. That test has the rest.

#include "solver/scene/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "tests/unit/solver/geometry/closed_meshes.h"

namespace sluice::scene {
namespace {

Scene good_scene() {
  Scene scene;
  scene.fluids.push_back(
      {.name = "water", .regions = {{geometry::Sphere{0.3}, {0, 0, 0.5}, Mat3::Identity()}}});
  Cloth sheet;
  sheet.name = "sheet";
  sheet.mesh.vertices = {{-0.5, -0.5, 0}, {0.5, -0.5, 0}, {0.5, 0.5, 0}, {-0.5, 0.5, 0}};
  sheet.mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
  sheet.pins = {{"left", {0, 3}, Vec3::Zero()}};
  scene.cloths.push_back(sheet);
  return scene;
}

std::vector<std::string> paths(const std::vector<Problem>& problems) {
  std::vector<std::string> all;
  all.reserve(problems.size());
  for (const Problem& problem : problems)
    all.push_back(problem.path);
  return all;
}

TEST(Validate, accepts_a_good_scene) {
  EXPECT_THAT(paths(validate(good_scene())), testing::IsEmpty());
}

TEST(Validate, refuses_an_empty_scene_and_an_empty_mesh) {
  EXPECT_THAT(paths(validate(Scene{})), testing::ElementsAre(""));
  Scene scene = good_scene();
  scene.cloths[0].mesh = {};
  EXPECT_THAT(paths(validate(scene)), testing::ElementsAre("cloths[0].mesh"));
}

TEST(Validate, never_reads_past_a_bad_index_or_a_nan) {
  Scene scene = good_scene();
  scene.cloths[0].mesh.triangles.push_back({0, 1, 4});
  scene.cloths[0].mesh.triangles.push_back({0, -1, std::numeric_limits<std::int32_t>::max()});
  scene.cloths[0].mesh.vertices[1].y() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(paths(validate(scene)), testing::ElementsAre("cloths[0].mesh", "cloths[0].mesh",
                                                           "cloths[0].mesh", "cloths[0].mesh"));
  scene = good_scene();
  scene.fluids[0].regions[0].translation.x() = std::numeric_limits<double>::infinity();
  EXPECT_THAT(paths(validate(scene)), testing::ElementsAre("fluids[0].regions[0].transform"));
}

TEST(Validate, says_nothing_more_of_what_is_known_to_be_wrong) {
  Scene scene = good_scene();
  scene.domain_upper = scene.domain_lower;  // A converter leaves this where it could not read it,
  scene.fluids[0].density = -1;             // and an error that is the scene's own.
  const std::vector<Problem> problems =
      validate(scene, {}, {{"domain.lower[1]", "must be a number", Severity::error}});
  EXPECT_THAT(paths(problems),
              testing::ElementsAre("domain.lower[1]", "domain.upper[0]", "domain.upper[1]",
                                   "domain.upper[2]", "fluids[0].density"));
  EXPECT_THAT(paths(validate(scene, {}, {{"domain", "is required", Severity::error}})),
              testing::ElementsAre("domain", "fluids[0].density"));
}

TEST(Validate, keeps_a_warning_from_hiding_an_error) {
  Scene scene = good_scene();
  scene.fluids[0].density = -1;
  EXPECT_THAT(paths(validate(scene, {}, {{"fluids[0].density", "is unusual", Severity::warning}})),
              testing::ElementsAre("fluids[0].density", "fluids[0].density"));
}

TEST(Validate, keeps_limits_of_all_cloths_together) {
  Scene scene = good_scene();
  scene.cloths.push_back(scene.cloths[0]);
  scene.cloths[1].name = "other";
  for (Vec3& vertex : scene.cloths[1].mesh.vertices)
    vertex.z() -= 0.3;
  EXPECT_THAT(paths(validate(scene, {.vertex_count = 7, .triangle_count = 3})),
              testing::ElementsAre("cloths", "cloths"));
  EXPECT_THAT(paths(validate(scene, {.vertex_count = 8, .triangle_count = 4})), testing::IsEmpty());
}

TEST(Validate, sees_cloth_that_touches_cloth_in_one_point) {  // Oracle: exact, by hand.
  Scene scene = good_scene();
  Cloth other;
  other.name = "other";
  other.mesh.vertices = {{0.25, 0, 0}, {0.25, 0.1, -0.5}, {0.25, -0.1, -0.5}};
  other.mesh.triangles = {{0, 1, 2}};
  scene.cloths.push_back(other);
  EXPECT_THAT(paths(validate(scene)), testing::ElementsAre("cloths[1].mesh"));
  scene.cloths[1].mesh.vertices[0].z() = -std::numeric_limits<double>::denorm_min();
  EXPECT_THAT(paths(validate(scene)), testing::IsEmpty());
}

TEST(Validate, refuses_a_region_that_a_solid_has_all_of) {
  Scene scene = good_scene();
  scene.fluids[0].regions.push_back(
      {geometry::Sphere{0.02}, scene.cloths[0].mesh.vertices[0] / 2, Mat3::Identity()});
  EXPECT_THAT(paths(validate(scene)), testing::IsEmpty());
  scene.cloths[0].thickness = 0.06;
  EXPECT_THAT(paths(validate(scene)), testing::ElementsAre("fluids[0].regions[1]"));
}

SoftBody jelly(const Vec3& corner) {
  SoftBody body;
  body.name = "jelly";
  body.mesh.vertices = {corner, corner + Vec3(0.1, 0, 0), corner + Vec3(0, 0.1, 0),
                        corner + Vec3(0, 0, 0.1)};
  body.mesh.tets = {{0, 1, 2, 3}};
  return body;
}

TEST(Validate, checks_the_mesh_of_a_soft_body) {
  Scene scene = good_scene();
  scene.soft_bodies = {jelly({0.6, 0.6, -0.5})};
  EXPECT_THAT(paths(validate(scene)), testing::IsEmpty());
  scene.soft_bodies[0].mesh.tets[0] = {1, 0, 2, 3};  // Inverted.
  EXPECT_THAT(paths(validate(scene)), testing::ElementsAre("soft_bodies[0].mesh"));
  scene.soft_bodies[0].mesh.tets[0] = {0, 1, 2, 4};
  EXPECT_THAT(paths(validate(scene)), testing::ElementsAre("soft_bodies[0].mesh"));
  scene.soft_bodies[0].mesh.tets.clear();
  EXPECT_THAT(paths(validate(scene)), testing::ElementsAre("soft_bodies[0].mesh"));
}

TEST(Validate, keeps_solids_apart_at_the_start) {
  Scene scene = good_scene();
  scene.soft_bodies = {jelly({0.1, 0.1, -0.05})};  // Through the sheet at z = 0.
  EXPECT_THAT(paths(validate(scene)), testing::AllOf(testing::Not(testing::IsEmpty()),
                                                     testing::Each("soft_bodies[0].mesh")));
  scene.soft_bodies[0] = jelly({0.95, 0.95, -0.5});  // Out of the domain, which ends at 1.
  EXPECT_THAT(paths(validate(scene)),
              testing::ElementsAre("soft_bodies[0].mesh", "soft_bodies[0].mesh"));
}

RigidBody brick(const Vec3& lower, const Vec3& upper) {
  RigidBody body;
  body.name = "brick";
  body.mesh = geometry::make_box(lower, upper);
  return body;
}

/// The error that a scene has, and that it has no other.
std::string only_error(const Scene& scene) {
  const std::vector<Problem> problems = validate(scene);
  if (problems.size() != 1) return std::to_string(problems.size()) + " problems";
  return problems[0].path + ": " + problems[0].message;
}

TEST(Validate, refuses_what_newton_ipc_cannot_serve) {
  Scene scene = good_scene();
  scene.coupling.method = CouplingMethod::newton_ipc;
  EXPECT_THAT(paths(validate(scene)), testing::IsEmpty());
  scene.rigid_bodies = {brick({0.6, 0.6, -0.5}, {0.8, 0.8, -0.3})};
  EXPECT_THAT(only_error(scene),
              testing::AllOf(testing::StartsWith("coupling.method"),
                             testing::HasSubstr("rigid_bodies[0] (brick)"),
                             testing::HasSubstr("choose COUPLING_METHOD_ADMM_IPC")));
  scene.rigid_bodies[0].script = {{.time = 1}};
  EXPECT_THAT(paths(validate(scene)), testing::IsEmpty());
  scene.solid_solver.integrator = Integrator::newton;
  EXPECT_THAT(only_error(scene), testing::StartsWith("solid_solver.integrator"));
}

TEST(Validate, refuses_hostile_rigid_bodies_by_the_field_at_fault) {
  Scene scene = good_scene();
  const RigidBody good = brick({0.6, 0.6, -0.5}, {0.8, 0.8, -0.3});
  scene.rigid_bodies = {good};
  RigidBody& body = scene.rigid_bodies[0];
  EXPECT_THAT(paths(validate(scene)), testing::IsEmpty());
  const auto refuses = [&](const char* what) {
    EXPECT_THAT(only_error(scene), testing::StartsWith(what));
    body = good;
  };
  body.mesh = {};
  refuses("rigid_bodies[0].mesh: has no triangles");
  body.mesh.triangles.pop_back();
  refuses("rigid_bodies[0].mesh: the surface is open");
  body.mesh = geometry::turned(body.mesh);
  refuses("rigid_bodies[0].mesh: the surface encloses a volume of -");
  body.mesh.triangles[3][1] = 77;
  refuses("rigid_bodies[0].mesh: triangle 3 has the vertex 77");
  body.mesh.vertices[2].x() = std::numeric_limits<double>::quiet_NaN();
  refuses("rigid_bodies[0].mesh: vertex 2 is not finite");
  body.mesh.vertices = {{0.6, 0.6, -0.4}, {0.8, 0.6, -0.4}, {0.6, 0.8, -0.4}, {0.66, 0.66, -0.4}};
  body.mesh.vertices[3].z() += 1e-15;  // No triangle is a sliver, but there is nothing in it.
  body.mesh.triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  refuses("rigid_bodies[0].mesh: encloses");
  body.mesh.vertices.emplace_back(0.7, 0.7, -0.4);
  refuses("rigid_bodies[0].mesh: vertex 8 belongs to no triangle");
  body.density = 0;
  refuses("rigid_bodies[0].density");
  body.friction = -0.1;
  refuses("rigid_bodies[0].friction");
  body.angular_velocity.y() = std::numeric_limits<double>::infinity();
  refuses("rigid_bodies[0].angular_velocity_degrees[1]");
  body.script = {{.time = 1}, {.time = 1}};
  refuses("rigid_bodies[0].script[1].time_seconds");
  body.script = {{.time = 0}};
  refuses("rigid_bodies[0].script[0].time_seconds");
  body.script = {{.time = 1, .rotation = {0.5, 0, 0, 0}}};
  refuses("rigid_bodies[0].script[0].rotation_degrees");
  body.name = "sheet";
  refuses("rigid_bodies[0].name");
}

TEST(Validate, keeps_rigid_bodies_apart_at_the_start) {
  Scene scene = good_scene();
  scene.rigid_bodies = {brick({0.9, 0.9, -0.5}, {1.1, 0.95, -0.3})};
  EXPECT_THAT(paths(validate(scene)), testing::Contains("rigid_bodies[0].mesh"));
  scene.rigid_bodies = {brick({0.1, 0.1, -0.1}, {0.2, 0.2, 0.1})};  // Through the sheet at z = 0.
  EXPECT_THAT(paths(validate(scene)), testing::Contains("rigid_bodies[0].mesh"));
  // Around the water.
  scene.rigid_bodies = {brick({-0.9, -0.9, 0.05}, {0.9, 0.9, 0.95})};
  EXPECT_THAT(only_error(scene), testing::HasSubstr("is inside or close to solids"));
  // On an obstacle that none of its corners is in.
  scene = good_scene();
  scene.rigid_bodies = {brick({-0.9, -0.9, -0.5}, {0.9, 0.9, -0.4})};
  scene.obstacles = {{"ball", {geometry::Sphere{0.1}, Vec3(0.2, -0.1, -0.55), Mat3::Identity()}}};
  EXPECT_THAT(paths(validate(scene)), testing::Each("rigid_bodies[0].mesh"));
  EXPECT_THAT(validate(scene), testing::Not(testing::IsEmpty()));
  scene.obstacles[0].shape.translation.z() = -0.601;
  EXPECT_THAT(paths(validate(scene)), testing::IsEmpty());
  // In each other.
  scene = good_scene();
  scene.rigid_bodies = {brick({0.6, 0.6, -0.8}, {0.9, 0.9, -0.5}),
                        brick({0.7, 0.7, -0.7}, {0.8, 0.8, -0.6})};
  scene.rigid_bodies[1].name = "inner";
  EXPECT_THAT(only_error(scene),
              testing::StartsWith("rigid_bodies[1].mesh: is inside rigid_bodies[0] (brick)"));
}

Scene good_gas() {
  Scene scene;
  scene.gas.emplace();
  scene.gas->name = "air";
  return scene;
}

TEST(Validate, accepts_a_gas) { EXPECT_THAT(paths(validate(good_gas())), testing::IsEmpty()); }

TEST(Validate, refuses_more_places_of_a_gas_than_it_has_time_for) {
  Scene scene = good_gas();
  GasRegion region;
  region.shape.form = geometry::Sphere{0.1};
  region.content.smoke = 1;
  scene.gas->regions.assign(1024, region);
  scene.gas->sources.assign(1024, {region.shape, region.content, {}});
  EXPECT_THAT(paths(validate(scene)), testing::IsEmpty());
  scene.gas->regions.push_back(region);
  EXPECT_THAT(only_error(scene),
              testing::StartsWith("gas.regions: has 1025 elements; at most 1024 are allowed"));
  scene.gas->regions.pop_back();
  scene.gas->sources.push_back(scene.gas->sources.back());
  EXPECT_THAT(only_error(scene), testing::StartsWith("gas.sources: has 1025 elements"));
}

// A plane is one cell deep, whatever the domain's depth.
TEST(Validate, counts_the_cells_of_a_gas) {
  Scene scene = good_gas();  // 100 cells along each axis.
  EXPECT_THAT(paths(validate(scene, {.particle_count = 1'000'000})), testing::IsEmpty());
  EXPECT_THAT(paths(validate(scene, {.particle_count = 999'999})),
              testing::ElementsAre("fluid_grid.cell_size"));
  scene.grid.dimensions = 2;
  EXPECT_THAT(paths(validate(scene, {.particle_count = 10'000, .grid_cell_count = 10'000})),
              testing::IsEmpty());
  EXPECT_THAT(paths(validate(scene, {.particle_count = 9'999})),
              testing::ElementsAre("fluid_grid.cell_size"));
  scene.domain_upper.y() = scene.domain_lower.y() + 0.001;
  EXPECT_THAT(paths(validate(scene, {.particle_count = 10'000})), testing::IsEmpty());
}

TEST(Validate, refuses_numbers_of_a_gas_that_are_none) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refuses = [](const char* path, const auto& change) {
    Scene scene = good_gas();
    change(*scene.gas);
    EXPECT_THAT(only_error(scene), testing::StartsWith(path));
  };
  refuses("gas.velocity[2]", [&](Gas& gas) { gas.velocity.z() = nan; });
  refuses("gas.density", [&](Gas& gas) { gas.density = nan; });
  refuses("gas.dynamic_viscosity", [&](Gas& gas) { gas.dynamic_viscosity = nan; });
  refuses("gas.ambient_temperature", [&](Gas& gas) { gas.ambient_temperature = nan; });
  refuses("gas.smoke_density", [&](Gas& gas) { gas.smoke_density = nan; });
  refuses("gas.fading", [&](Gas& gas) { gas.fading = nan; });
  refuses("gas.cooling", [&](Gas& gas) { gas.cooling = nan; });
  refuses("gas.vorticity_confinement", [&](Gas& gas) { gas.vorticity_confinement = nan; });
}

TEST(Validate, tells_no_component_of_a_side_for_an_element_of_the_list) {
  Scene scene = good_gas();
  scene.grid.side_velocities[0][0].velocity = Vec3(0, 0, 1001);
  EXPECT_THAT(only_error(scene), "domain.side_velocities: 1001 is not in [-1000, 1000]");
  scene.grid.side_velocities[0][0].velocity.z() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(paths(validate(scene)), testing::ElementsAre("domain.side_velocities"));
}

// Gas that slips past a wall does not feel that the wall slides.
TEST(Validate, refuses_walls_that_slide_to_no_effect) {
  Scene scene = good_gas();
  scene.grid.side_velocities[2][1].velocity = Vec3(1, 0, 0);
  EXPECT_THAT(only_error(scene),
              testing::StartsWith("domain.side_velocities: a velocity along a side has no use"));
  scene.grid.side_velocities[2][1].velocity = Vec3(1, 0, -1);  // An inlet, aslant.
  EXPECT_THAT(paths(validate(scene)), testing::IsEmpty());
  scene.grid.side_velocities[2][1].velocity = Vec3(1, 0, 0);
  scene.grid.wall = WallCondition::no_slip;
  EXPECT_THAT(paths(validate(scene)), testing::IsEmpty());
}

TEST(Validate, refuses_places_beside_the_plane_of_a_flow) {
  Scene scene = good_gas();
  scene.grid.dimensions = 2;
  GasRegion region;
  region.shape.form = geometry::Sphere{0.1};
  region.shape.translation = Vec3(0, 0.05, 0);
  region.content.smoke = 1;
  scene.gas->regions = {region};
  EXPECT_THAT(paths(validate(scene)), testing::IsEmpty());
  scene.gas->regions[0].shape.translation.y() = 0.15;
  EXPECT_THAT(only_error(scene),
              testing::StartsWith("gas.regions[0].shape: does not reach y = 0 m"));
  scene.grid.dimensions = 3;
  EXPECT_THAT(paths(validate(scene)), testing::IsEmpty());
}

TEST(Validate, checks_what_is_painted_into_a_gas) {
  Gas gas;
  GasContent content;
  EXPECT_THAT(paths(validate_content(content, gas, "stroke")), testing::ElementsAre("stroke"));
  content.smoke = 1;
  EXPECT_THAT(validate_content(content, gas, "stroke"), testing::IsEmpty());
  content.temperature = 0;
  content.dye = Vec3(0, 2000, 0);
  EXPECT_THAT(paths(validate_content(content, gas, "stroke")),
              testing::ElementsAre("stroke.temperature", "stroke.dye[1]", "stroke.temperature",
                                   "stroke.dye"));
}

}  // namespace
}  // namespace sluice::scene
