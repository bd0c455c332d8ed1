// SPDX-License-Identifier: Apache-2.0
#include "solver/scene/seeding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "solver/geometry/box_tets.h"
#include "solver/geometry/point_triangle.h"
#include "solver/geometry/shape.h"
#include "solver/geometry/tet_surface.h"
#include "solver/geometry/winding.h"
#include "tests/unit/solver/geometry/closed_meshes.h"

namespace sluice::scene {
namespace {

geometry::Shape ball(double radius, const Vec3& center) {
  return {geometry::Sphere{radius}, center, Mat3::Identity()};
}

geometry::Shape box(const Vec3& half_extents, const Vec3& center) {
  return {geometry::Box{half_extents}, center, Mat3::Identity()};
}

Scene two_fluids() {
  Scene scene;
  scene.domain_lower = {-0.5, -0.4, 0};
  scene.domain_upper = {0.5, 0.45, 1.03};
  scene.grid.cell_size = 0.1;
  scene.grid.particles_per_axis = 3;
  geometry::Shape turned = box({0.21, 0.17, 0.3}, {0.1, 0.05, 0.4});
  turned.rotation = Eigen::AngleAxisd(0.7, Vec3{1, 2, 3}.normalized()).toRotationMatrix();
  scene.fluids.push_back({.name = "a", .regions = {ball(0.3, {0, 0, 0.5}), turned}});
  scene.fluids.push_back(
      {.name = "b", .regions = {{geometry::HalfSpace{}, {0, 0, 0.35}, Mat3::Identity()}}});
  scene.obstacles.push_back({.name = "post",
                             .shape = {geometry::Capsule{0.1, 0.4},
                                       {0.05, 0.02, 0.5},
                                       Eigen::AngleAxisd(0.3, Vec3::UnitX()).toRotationMatrix()}});
  return scene;
}

bool is_near(const geometry::TriangleMesh& mesh, double distance, const Vec3& point) {
  return std::ranges::any_of(mesh.triangles, [&](const TriangleIndices& t) {
    const auto at = [&](std::size_t k) { return mesh.vertices[static_cast<std::size_t>(t[k])]; };
    const auto nearest = geometry::nearest_point({at(0), at(1), at(2)}, point);
    return nearest.squared_distance < distance * distance;
  });
}

bool is_inside(const geometry::TriangleMesh& mesh, const Vec3& point) {
  return geometry::winding_number(mesh, geometry::triangle_boxes(mesh), point) != 0;
}

bool is_inside(const geometry::TetMesh& mesh, const Vec3& p) {
  return std::ranges::any_of(mesh.tets, [&](const geometry::TetIndices& indices) {
    const geometry::Tetrahedron tet = geometry::corners_of(mesh, indices);
    return geometry::signed_volume({p, tet.b, tet.c, tet.d}) > 0 &&
           geometry::signed_volume({tet.a, p, tet.c, tet.d}) > 0 &&
           geometry::signed_volume({tet.a, tet.b, p, tet.d}) > 0 &&
           geometry::signed_volume({tet.a, tet.b, tet.c, p}) > 0;
  });
}

bool is_off_solids(const Scene& scene, const Vec3& point) {
  const double distance = scene.coupling.contact_distance;
  return std::ranges::none_of(scene.cloths,
                              [&](const Cloth& cloth) {
                                return is_near(cloth.mesh, distance + cloth.thickness / 2, point);
                              }) &&
         std::ranges::none_of(scene.soft_bodies,
                              [&](const SoftBody& body) {
                                return is_inside(body.mesh, point) ||
                                       is_near(geometry::boundary_surface(body.mesh).mesh, distance,
                                               point);
                              }) &&
         std::ranges::none_of(scene.rigid_bodies, [&](const RigidBody& body) {
           return is_inside(body.mesh, point) || is_near(body.mesh, distance, point);
         });
}

// The rule of the header, point by point over the whole lattice.
std::vector<Vec3> all_seeds(const Scene& scene, std::size_t fluid) {
  const auto inside = [](const geometry::Shape& shape, const Vec3& point) {
    return geometry::signed_distance(shape, point).distance < 0;
  };
  std::vector<Vec3> seeds;
  const double spacing = seed_spacing(scene.grid);
  const auto cells = grid_cells(scene);
  const std::int64_t axis = scene.grid.particles_per_axis;
  for (std::int64_t i = 0; i < cells[0] * axis; ++i) {
    for (std::int64_t j = 0; j < cells[1] * axis; ++j) {
      for (std::int64_t k = 0; k < cells[2] * axis; ++k) {
        const Vec3 point =
            scene.domain_lower + spacing * Vec3{double(i) + 0.5, double(j) + 0.5, double(k) + 0.5};
        bool seed = false;
        for (const auto& region : scene.fluids[fluid].regions)
          seed |= inside(region, point);
        for (const auto& obstacle : scene.obstacles)
          seed &= !inside(obstacle.shape, point);
        for (std::size_t before = 0; before < fluid; ++before) {
          for (const auto& region : scene.fluids[before].regions)
            seed &= !inside(region, point);
        }
        if (seed && scene.coupling.method != CouplingMethod::one_way)
          seed = is_off_solids(scene, point);
        if (seed) seeds.push_back(point);
      }
    }
  }
  return seeds;
}

std::set<std::array<double, 3>> as_set(const std::vector<Vec3>& points) {
  std::set<std::array<double, 3>> set;
  for (const Vec3& point : points)
    set.insert({point.x(), point.y(), point.z()});
  return set;
}

SeedCount count(const Scene& scene, std::size_t fluid, std::int64_t limit, SeedWork work = {}) {
  return Seeds(scene).count(fluid, limit, work);
}

TEST(Seeding, follows_the_rule_at_every_lattice_point) {  // Oracle: the rule, by brute force.
  const Scene scene = two_fluids();
  for (std::size_t fluid = 0; fluid < 2; ++fluid) {
    const std::vector<Vec3> expected = all_seeds(scene, fluid);
    const std::vector<Vec3> found = Seeds(scene).positions(fluid);
    ASSERT_GT(expected.size(), 500U);
    EXPECT_EQ(found.size(), expected.size());
    EXPECT_EQ(as_set(found), as_set(expected));
    const SeedCount counted = count(scene, fluid, 1'000'000);
    EXPECT_EQ(counted.count, static_cast<std::int64_t>(expected.size()));
    EXPECT_EQ(counted.outcome, SeedOutcome::complete);
  }
}

TEST(Seeding,
     leaves_solids_out_unless_fluid_goes_through_them) {  // Oracle: the rule, by brute force.
  Scene scene = two_fluids();
  scene.coupling.contact_distance = 0.02;
  scene.rigid_bodies.resize(2);
  scene.rigid_bodies[0].mesh = geometry::make_torus(9, 0.25, 0.1);
  for (Vec3& x : scene.rigid_bodies[0].mesh.vertices)
    x += Vec3(0.1, 0.05, 0.4);
  // Hollow: there is fluid in it.
  scene.rigid_bodies[1].mesh =
      geometry::joined(geometry::make_box({-0.4, -0.35, 0.02}, {0, 0, 0.33}),
                       geometry::turned(geometry::make_box({-0.3, -0.3, 0.1}, {-0.1, -0.1, 0.3})));
  geometry::TetMesh tets = geometry::box_tets({0.1, 0.06, 0.08}, 0.1, 1000).value();
  for (Vec3& x : tets.vertices)
    x += Vec3(-0.28, 0.21, 0.2);
  scene.soft_bodies.resize(1);
  scene.soft_bodies[0].mesh = tets;
  scene.cloths.resize(1);
  scene.cloths[0].thickness = 0.01;
  scene.cloths[0].mesh = {.vertices = {{-0.4, -0.4, 0.5}, {0.4, -0.4, 0.52}, {-0.4, 0.4, 0.6}},
                          .triangles = {{0, 1, 2}}};
  const Scene without_solids = two_fluids();
  const std::size_t without = Seeds(without_solids).positions(1).size();
  for (std::size_t fluid = 0; fluid < 2; ++fluid) {
    const std::vector<Vec3> expected = all_seeds(scene, fluid),
                            found = Seeds(scene).positions(fluid);
    EXPECT_EQ(found.size(), expected.size());
    EXPECT_EQ(as_set(found), as_set(expected));
    EXPECT_EQ(count(scene, fluid, 1'000'000).count, static_cast<std::int64_t>(expected.size()));
  }
  EXPECT_LT(Seeds(scene).positions(1).size() + 500, without);
  scene.coupling.method = CouplingMethod::one_way;
  EXPECT_EQ(Seeds(scene).positions(1).size(), without);
}

TEST(Seeding,
     counts_whole_cells_of_the_domain) {  // Oracle: by hand; 0.85 and 1.03 are not multiples.
  EXPECT_EQ(grid_cells(two_fluids()), (std::array<std::int64_t, 3>{10, 8, 10}));
}

// Oracle: by hand. One along y, in the middle; s^2 times the depth each.
TEST(Seeding, in_two_dimensions_stand_in_a_plane) {
  Scene scene = two_fluids();
  scene.grid.dimensions = 2;
  const double depth = scene.domain_upper.y() - scene.domain_lower.y();
  const double middle = scene.domain_lower.y() + depth / 2;
  EXPECT_EQ(grid_cells(scene), (std::array<std::int64_t, 3>{10, 1, 10}));
  const double s = seed_spacing(scene.grid);
  EXPECT_EQ(seed_steps(scene), Vec3(s, depth, s));
  scene.obstacles.clear();
  scene.fluids.resize(1);
  const Vec3 center(scene.domain_lower.x() + 0.4, middle, scene.domain_lower.z() + 0.4);
  scene.fluids[0].regions = {{geometry::Sphere{0.3}, center, Mat3::Identity()}};
  std::int64_t expected = 0;
  for (int i = 0; i < 10 * scene.grid.particles_per_axis; ++i) {
    for (int k = 0; k < 10 * scene.grid.particles_per_axis; ++k)
      expected += std::hypot((i + 0.5) * s - 0.4, (k + 0.5) * s - 0.4) < 0.3 ? 1 : 0;
  }
  const std::vector<Vec3> found = Seeds(scene).positions(0);
  EXPECT_EQ(static_cast<std::int64_t>(found.size()), expected);
  EXPECT_EQ(count(scene, 0, 1'000'000).count, expected);
  for (const Vec3& x : found)
    EXPECT_EQ(x.y(), middle);
}

TEST(Seeding, counts_a_box_of_125_million_seeds_at_once) {  // Oracle: by hand, 500^3.
  Scene scene;
  scene.domain_lower = {-5, -5, -5};
  scene.domain_upper = {15, 15, 15};
  scene.grid.cell_size = 0.02;
  scene.fluids.push_back({.name = "sea", .regions = {box({2.5, 2.5, 2.5}, {0, 0, 0})}});
  const SeedCount counted = count(scene, 0, 2'000'000'000);
  EXPECT_EQ(counted.count, 125'000'000);
  EXPECT_EQ(count(scene, 0, 1'000'000).outcome, SeedOutcome::too_many);
}

TEST(Seeding, gives_up_on_thousands_of_coincident_surfaces_instead_of_hanging) {
  Scene scene;
  scene.domain_lower = {-50, -50, -50};
  scene.domain_upper = {50, 50, 50};
  scene.grid.cell_size = 1e-3;
  scene.fluids.push_back({.name = "water", .regions = {ball(40, {0, 0, 0})}});
  for (int i = 0; i < 1000; ++i) {
    scene.obstacles.push_back({.name = "o", .shape = ball(40 - 1e-9 * i, {0, 0, 0})});
  }
  EXPECT_EQ(count(scene, 0, 1'000'000'000, {.evaluations_left = 1'000'000}).outcome,
            SeedOutcome::too_intricate);
}

}  // namespace
}  // namespace sluice::scene
