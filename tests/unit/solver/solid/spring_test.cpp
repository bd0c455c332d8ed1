// SPDX-License-Identifier: Apache-2.0
// Oracles: counts and pairs worked by hand; central differences.
#include "solver/solid/spring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <utility>

#include "tests/unit/solver/solid/grid_mesh.h"

namespace sluice::solid {
namespace {

std::int64_t count(const std::vector<Spring>& springs, SpringKind kind) {
  return std::count_if(springs.begin(), springs.end(),
                       [kind](const Spring& s) { return s.kind == kind; });
}

TEST(LaySprings, grid_gets_the_textbook_lattice) {
  const int nx = 5, ny = 4;
  const auto springs = lay_springs(grid_mesh(nx, ny, 0.1), {50, 20, 0.5});
  const int sides = (nx - 1) * ny + nx * (ny - 1);
  EXPECT_EQ(count(springs, SpringKind::structural), sides);
  EXPECT_EQ(count(springs, SpringKind::shear), 2 * (nx - 1) * (ny - 1));
  EXPECT_EQ(count(springs, SpringKind::bend), sides - 2 * (nx - 1) - 2 * (ny - 1));
  for (const Spring& s : springs) {
    if (s.kind == SpringKind::structural) {
      EXPECT_NEAR(s.rest_length, 0.1, 1e-15);
      EXPECT_EQ(s.stiffness, 50);
    } else if (s.kind == SpringKind::shear) {
      EXPECT_NEAR(s.rest_length, 0.1 * std::sqrt(2), 1e-15);
    }
  }
}

TEST(LaySprings, equilateral_pair_has_structure_and_bend) {
  const double height = std::sqrt(0.75);
  const geometry::TriangleMesh mesh{
      {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0.5, height, 0), Vec3(0.5, -height, 0)},
      {{0, 1, 2}, {1, 0, 3}}};
  const auto springs = lay_springs(mesh, {50, 20, 0.5});
  EXPECT_EQ(count(springs, SpringKind::structural), 5);
  EXPECT_EQ(count(springs, SpringKind::shear), 0);
  ASSERT_EQ(count(springs, SpringKind::bend), 1);
  EXPECT_EQ(springs.back().a, 2);
  EXPECT_EQ(springs.back().b, 3);
}

TEST(LaySprings, folded_square_is_not_a_quad) {
  // Folded by 90 degrees about its diagonal.
  const geometry::TriangleMesh mesh{
      {Vec3(0, 0, 0), Vec3(1, 1, 0), Vec3(1, 0, 0), Vec3(0.5, 0.5, std::sqrt(0.5))},
      {{0, 2, 1}, {0, 1, 3}}};
  const auto springs = lay_springs(mesh, {50, 20, 0.5});
  EXPECT_EQ(count(springs, SpringKind::structural), 5);
  EXPECT_EQ(count(springs, SpringKind::bend), 1);
}

TEST(LaySprings, closed_tetrahedron_has_each_pair_once) {
  const geometry::TriangleMesh mesh{{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)},
                                    {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}};
  const auto springs = lay_springs(mesh, {50, 20, 0.5});
  std::set<std::pair<int, int>> pairs;
  for (const Spring& s : springs)
    EXPECT_TRUE(pairs.emplace(s.a, s.b).second);
  EXPECT_EQ(springs.size(), 6U);
}

TEST(LaySprings, edge_of_three_triangles_bends_between_neighbours) {
  const geometry::TriangleMesh mesh{
      {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0.5, 1, 0), Vec3(0.5, -1, 0), Vec3(0.5, 0, 1)},
      {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}}};
  const auto springs = lay_springs(mesh, {50, 20, 0.5});
  EXPECT_EQ(count(springs, SpringKind::structural), 7);
  EXPECT_EQ(count(springs, SpringKind::bend), 2);
}

TEST(LaySprings, a_kind_without_stiffness_is_left_out) {
  const auto springs = lay_springs(grid_mesh(3, 3, 0.1), {50, 0, 0});
  EXPECT_EQ(static_cast<std::int64_t>(springs.size()), count(springs, SpringKind::structural));
}

TEST(Spring, gradient_is_the_derivative_of_energy) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> spread(-1, 1);
  for (int n = 0; n < 200; ++n) {
    const Spring s{0, 1, 10, 0.7, SpringKind::structural};
    const Vec3 a(spread(random), spread(random), spread(random));
    const Vec3 b(spread(random), spread(random), spread(random));
    if ((a - b).norm() < 0.1) continue;
    const Vec3 g = gradient(s, a, b);
    for (int axis = 0; axis < 3; ++axis) {
      const Vec3 e = 1e-6 * Vec3::Unit(axis);
      EXPECT_NEAR(g[axis], (energy(s, a + e, b) - energy(s, a - e, b)) / 2e-6, 1e-6);
    }
  }
}

TEST(Spring, coinciding_ends_have_no_gradient) {
  const Spring s{0, 1, 10, 0.7, SpringKind::structural};
  EXPECT_EQ(gradient(s, Vec3(1, 2, 3), Vec3(1, 2, 3)), Vec3::Zero());
}

}  // namespace
}  // namespace sluice::solid
