// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/mesh_intersection.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>

#include "solver/certificate/exact_contact.h"
#include "solver/geometry/triangle_intersection.h"
#include "tests/unit/solver/solid/grid_mesh.h"

namespace sluice::geometry {
namespace {

// Oracle: a motion that stands still, asked of the certificate's exact arithmetic.
bool exactly_intersect(const Triangle& one, const Triangle& other) {
  const auto edge_meets = [](const Triangle& e, const Triangle& t) {
    const std::array<Vec3, 3> p{e.a, e.b, e.c};
    for (std::size_t i = 0; i < 3; ++i) {
      // An edge meets a triangle if the point that travels along it does.
      const certificate::Motion<4> motion{{p[i], t.a, t.b, t.c}, {p[(i + 1) % 3], t.a, t.b, t.c}};
      if (certificate::point_meets_triangle(motion)) return true;
    }
    return false;
  };
  return edge_meets(one, other) || edge_meets(other, one);
}

TEST(TrianglesIntersect, agrees_with_exact_arithmetic) {
  std::mt19937_64 random{1};
  std::uniform_int_distribution<int> small{0, 3};
  std::uniform_real_distribution<double> uniform{0, 1};
  int intersections = 0, checked = 0;
  for (int i = 0; i < 2000; ++i) {
    // On a small lattice touching, coplanar and crossing triangles abound; a third is in one plane.
    const auto point = [&]() -> Vec3 {
      if (i % 2 == 0) return {uniform(random), uniform(random), uniform(random)};
      return {double(small(random)), double(small(random)), i % 3 == 0 ? 0.0 : small(random)};
    };
    const Triangle one{point(), point(), point()}, other{point(), point(), point()};
    if (is_without_area(one) || is_without_area(other)) continue;
    ASSERT_EQ(triangles_intersect(one, other), exactly_intersect(one, other)) << i;
    intersections += triangles_intersect(one, other);
    ++checked;
  }
  EXPECT_GT(intersections, checked / 10);
  EXPECT_LT(intersections, checked * 9 / 10);
}

TriangleMesh sheet(int side, double height) {
  TriangleMesh mesh = solid::grid_mesh(side + 1, side + 1, 1.0 / side);
  for (Vec3& x : mesh.vertices)
    x.z() = height + 0.1 * std::sin(5 * x.x()) * std::cos(4 * x.y());
  return mesh;
}

TEST(FindIntersections, finds_none_in_a_smooth_sheet_and_all_where_two_cross) {
  const TriangleMesh low = sheet(72, 0), high = sheet(72, 0.3);
  TriangleMesh crossing = sheet(12, 0);
  for (Vec3& vertex : crossing.vertices)
    vertex = {vertex.x(), vertex.z() + 0.5, vertex.y() - 0.5};
  const TriangleMesh* apart[] = {&low, &high};
  // Twenty neighbours a triangle, of 20,736: the work goes with their number, not its square.
  const IntersectionSearch search = find_intersections(apart, {std::int64_t{20} * 20'736, 0});
  EXPECT_TRUE(search.complete);
  EXPECT_TRUE(search.found.empty());
  const TriangleMesh* meshes[] = {&low, &crossing};
  const auto found = find_intersections(meshes);
  // Oracle: all pairs by exact arithmetic would be slow; all pairs by the tested predicate.
  std::size_t expected = 0;
  for (const auto& one : low.triangles) {
    for (const auto& other : crossing.triangles) {
      const auto triangle = [](const TriangleMesh& mesh, const TriangleIndices& t) {
        return Triangle{mesh.vertices[std::size_t(t[0])], mesh.vertices[std::size_t(t[1])],
                        mesh.vertices[std::size_t(t[2])]};
      };
      expected += triangles_intersect(triangle(low, one), triangle(crossing, other));
    }
  }
  EXPECT_GT(expected, 50U);
  EXPECT_EQ(found.size(), expected);
}

TEST(FindIntersections, treats_shared_corners_and_edges_by_what_lies_beyond) {
  const auto count = [](std::vector<Vec3> vertices, std::vector<TriangleIndices> triangles) {
    const TriangleMesh mesh{std::move(vertices), std::move(triangles)};
    const TriangleMesh* meshes[] = {&mesh};
    return find_intersections(meshes).size();
  };
  const Vec3 o{0, 0, 0}, x{1, 0, 0}, y{0, 1, 0};
  EXPECT_EQ(count({o, x, y, {1, 1, 0}}, {{0, 1, 2}, {1, 3, 2}}), 0U);          // A flat square.
  EXPECT_EQ(count({o, x, y, {0.2, 0.2, 0}}, {{0, 1, 2}, {1, 3, 2}}), 1U);      // Folded flat.
  EXPECT_EQ(count({o, x, y, {0.2, 0.2, 1e-70}}, {{0, 1, 2}, {1, 3, 2}}), 0U);  // Nearly.
  EXPECT_EQ(count({o, x, y}, {{0, 1, 2}, {2, 1, 0}}), 1U);                     // Doubled.
  // A common corner, and the opposite edge away from, through and beside the other triangle.
  EXPECT_EQ(count({o, x, y, {-1, 0, 1}, {0, -1, 1}}, {{0, 1, 2}, {0, 3, 4}}), 0U);
  EXPECT_EQ(count({o, x, y, {0.3, 0.3, 1}, {0.3, 0.3, -1}}, {{0, 1, 2}, {0, 3, 4}}), 1U);
  EXPECT_EQ(count({o, x, y, {2, 2, 1}, {2, 2, -1}}, {{0, 1, 2}, {0, 3, 4}}), 1U);
  EXPECT_EQ(count({o, x, y, {-2, -2, 1}, {-2, -2, -1}}, {{0, 1, 2}, {0, 3, 4}}), 0U);
}

}  // namespace
}  // namespace sluice::geometry
