// SPDX-License-Identifier: Apache-2.0
#include "solver/scene/seeding.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "solver/geometry/point_triangle.h"
#include "solver/geometry/shape.h"
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

bool is_off(const geometry::TriangleMesh& mesh, double distance, const Vec3& point) {
  for (const TriangleIndices& t : mesh.triangles) {
    const auto at = [&](std::size_t k) { return mesh.vertices[static_cast<std::size_t>(t[k])]; };
    const auto nearest = geometry::nearest_point({at(0), at(1), at(2)}, point);
    if (nearest.squared_distance < distance * distance) return false;
  }
  return geometry::winding_number(mesh, geometry::triangle_boxes(mesh), point) == 0;
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
        if (scene.coupling.method != CouplingMethod::one_way) {
          for (const RigidBody& body : scene.rigid_bodies)
            seed = seed && is_off(body.mesh, scene.coupling.contact_distance, point);
        }
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
  return count_seeds(scene, fluid, limit, work);
}

TEST(Seeding, FollowsTheRuleAtEveryLatticePoint) {  // Oracle: the rule, by brute force.
  const Scene scene = two_fluids();
  for (std::size_t fluid = 0; fluid < 2; ++fluid) {
    const std::vector<Vec3> expected = all_seeds(scene, fluid);
    const std::vector<Vec3> found = seed_positions(scene, fluid);
    ASSERT_GT(expected.size(), 500U);
    EXPECT_EQ(found.size(), expected.size());
    EXPECT_EQ(as_set(found), as_set(expected));
    const SeedCount counted = count(scene, fluid, 1'000'000);
    EXPECT_EQ(counted.count, static_cast<std::int64_t>(expected.size()));
    EXPECT_EQ(counted.outcome, SeedOutcome::complete);
  }
}

TEST(Seeding, LeavesRigidBodiesOutUnlessFluidGoesThroughThem) {
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
  const std::size_t without = seed_positions(two_fluids(), 1).size();
  for (std::size_t fluid = 0; fluid < 2; ++fluid) {
    const std::vector<Vec3> expected = all_seeds(scene, fluid),
                            found = seed_positions(scene, fluid);
    EXPECT_EQ(found.size(), expected.size());
    EXPECT_EQ(as_set(found), as_set(expected));
    EXPECT_EQ(count(scene, fluid, 1'000'000).count, static_cast<std::int64_t>(expected.size()));
  }
  EXPECT_LT(seed_positions(scene, 1).size() + 500, without);
  scene.coupling.method = CouplingMethod::one_way;
  EXPECT_EQ(seed_positions(scene, 1).size(), without);
}

TEST(Seeding, CountsWholeCellsOfTheDomain) {  // Oracle: by hand; 0.85 and 1.03 are not multiples.
  EXPECT_EQ(grid_cells(two_fluids()), (std::array<std::int64_t, 3>{10, 8, 10}));
}

// Oracle: by hand. One along y, in the middle; s^2 times the depth each.
TEST(Seeding, InTwoDimensionsStandInAPlane) {
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
  const std::vector<Vec3> found = seed_positions(scene, 0);
  EXPECT_EQ(static_cast<std::int64_t>(found.size()), expected);
  EXPECT_EQ(count(scene, 0, 1'000'000).count, expected);
  for (const Vec3& x : found)
    EXPECT_EQ(x.y(), middle);
}

TEST(Seeding, CountsABoxOf125MillionSeedsAtOnce) {  // Oracle: by hand, 500^3.
  Scene scene;
  scene.domain_lower = {-5, -5, -5};
  scene.domain_upper = {15, 15, 15};
  scene.grid.cell_size = 0.02;
  scene.fluids.push_back({.name = "sea", .regions = {box({2.5, 2.5, 2.5}, {0, 0, 0})}});
  const SeedCount counted = count(scene, 0, 2'000'000'000);
  EXPECT_EQ(counted.count, 125'000'000);
  EXPECT_EQ(count(scene, 0, 1'000'000).outcome, SeedOutcome::too_many);
}

TEST(Seeding, GivesUpOnThousandsOfCoincidentSurfacesInsteadOfHanging) {
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

TEST(Seeding, FindsACloseSeedIfAndOnlyIfThereIsOne) {  // Oracle: every seed against the triangle.
  const Scene scene = two_fluids();
  const std::vector<Vec3> seeds = seed_positions(scene, 0);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> at(-0.6, 0.6);
  int close = 0;
  for (int trial = 0; trial < 300; ++trial) {
    geometry::TriangleMesh mesh;
    for (int i = 0; i < 3; ++i)
      mesh.vertices.emplace_back(at(random), at(random), at(random) + 0.5);
    mesh.triangles = {{0, 1, 2}};
    const geometry::Triangle triangle{mesh.vertices[0], mesh.vertices[1], mesh.vertices[2]};
    double nearest = 1e9;
    for (const Vec3& seed : seeds) {
      nearest = std::min(nearest, geometry::nearest_point(triangle, seed).squared_distance);
    }
    nearest = std::sqrt(nearest);
    const double distance = 0.002;
    SeedWork work;
    const CloseSeedSearch search = find_close_seed(scene, 0, mesh, distance, work);
    ASSERT_TRUE(search.complete);
    ASSERT_EQ(search.found.has_value(), nearest < distance) << nearest;
    if (!search.found) continue;
    ++close;
    EXPECT_LT(geometry::nearest_point(triangle, search.found->position).squared_distance,
              distance * distance);
  }
  EXPECT_GT(close, 20);
  EXPECT_LT(close, 280);
}

TEST(Seeding, FindsAnInnerSeedIfAndOnlyIfThereIsOne) {  // Oracle: every seed, by signed volumes.
  const Scene scene = two_fluids();
  const std::vector<Vec3> seeds = seed_positions(scene, 0);
  std::mt19937 random(11);
  std::uniform_real_distribution<double> at(-0.6, 0.6);
  std::uniform_real_distribution<double> spread(-0.04, 0.04);
  int inner = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const Vec3 middle(at(random), at(random), at(random) + 0.5);
    geometry::TetMesh volume;
    for (int i = 0; i < 4; ++i)
      volume.vertices.emplace_back(middle + Vec3(spread(random), spread(random), spread(random)));
    volume.tets = {{0, 1, 2, 3}};
    if (geometry::signed_volume(corners_of(volume, volume.tets[0])) < 0)
      std::swap(volume.tets[0][0], volume.tets[0][1]);
    const geometry::Tetrahedron tet = corners_of(volume, volume.tets[0]);
    const auto is_inside = [&](const Vec3& p) {
      return geometry::signed_volume({p, tet.b, tet.c, tet.d}) > 0 &&
             geometry::signed_volume({tet.a, p, tet.c, tet.d}) > 0 &&
             geometry::signed_volume({tet.a, tet.b, p, tet.d}) > 0 &&
             geometry::signed_volume({tet.a, tet.b, tet.c, p}) > 0;
    };
    SeedWork work;
    const InnerSeedSearch search = find_inner_seed(scene, 0, volume, work);
    ASSERT_TRUE(search.complete);
    ASSERT_EQ(search.found.has_value(), std::any_of(seeds.begin(), seeds.end(), is_inside));
    if (!search.found) continue;
    ++inner;
    EXPECT_TRUE(is_inside(search.found->position));
  }
  EXPECT_GT(inner, 20);
  EXPECT_LT(inner, 1980);
}

}  // namespace
}  // namespace sluice::scene
