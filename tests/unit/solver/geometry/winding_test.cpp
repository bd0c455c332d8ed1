// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/winding.h"

#include <gtest/gtest.h>

#include <cmath>

#include "solver/geometry/point_triangle.h"
#include "tests/unit/solver/geometry/closed_meshes.h"

namespace sluice::geometry {
namespace {

SparseGrid grid_of(const TriangleMesh& surface) {
  std::vector<Bounds> boxes;
  for (const TriangleIndices& t : surface.triangles) {
    const auto at = [&](std::size_t i) { return surface.vertices[static_cast<std::size_t>(t[i])]; };
    boxes.push_back({at(0).cwiseMin(at(1)).cwiseMin(at(2)), at(0).cwiseMax(at(1)).cwiseMax(at(2))});
  }
  SparseGrid grid;
  grid.build(boxes, {});
  return grid;
}

// The solid angle of the surface seen from p over 4 pi [VanOosterom1983]: 1 inside, 0 outside.
double winding_number(const TriangleMesh& surface, const Vec3& p) {
  double half_angles = 0;
  for (const TriangleIndices& t : surface.triangles) {
    const auto at = [&](std::size_t i) -> Vec3 {
      return surface.vertices[static_cast<std::size_t>(t[i])] - p;
    };
    const Vec3 a = at(0), b = at(1), c = at(2);
    const double la = a.norm(), lb = b.norm(), lc = c.norm();
    half_angles +=
        std::atan2(a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
  }
  return half_angles / (2 * std::numbers::pi);
}

double distance(const TriangleMesh& surface, const Vec3& p) {
  double nearest = 1e300;
  for (const TriangleIndices& t : surface.triangles) {
    const auto at = [&](std::size_t i) { return surface.vertices[static_cast<std::size_t>(t[i])]; };
    nearest = std::min(nearest, nearest_point({at(0), at(1), at(2)}, p).squared_distance);
  }
  return std::sqrt(nearest);
}

// Oracle: the solid angle, which shares nothing with rays. Points on the surface may be either.
void expect_right_sides(const TriangleMesh& surface, const BccLattice& lattice) {
  const auto found = enclosed_points(surface, grid_of(surface), lattice);
  ASSERT_TRUE(found);
  int inside = 0, outside = 0;
  for (std::int64_t i = 0; i < lattice.point_count(); ++i) {
    const Vec3 p = lattice.position(lattice.point(i));
    if (distance(surface, p) < 1e-12) continue;
    const bool expected = winding_number(surface, p) > 0.5;
    ASSERT_EQ((*found)[static_cast<std::size_t>(i)] != 0, expected) << p.transpose();
    ++(expected ? inside : outside);
  }
  EXPECT_GT(inside, 0);
  EXPECT_GT(outside, 0);
}

TEST(EnclosedPoints, are_those_that_the_solid_angle_tells) {
  expect_right_sides(make_bumpy(8), {Vec3::Constant(-1.33), 0.37, {7, 7, 7}});
  expect_right_sides(make_torus(8, 1, 0.4), {{-1.5, -1.5, -0.6}, 0.25, {12, 12, 5}});
}

// Rays run along faces, through edges and through corners; points lie on all of these.
TEST(EnclosedPoints, are_right_where_rays_meet_edges_and_corners) {
  expect_right_sides(make_box({0, 0, 0}, {1, 1, 1}), {Vec3::Constant(-0.5), 0.5, {4, 4, 4}});
  expect_right_sides(make_box({0, 0, 0}, {1, 2, 0.25}), {Vec3::Constant(-0.5), 0.25, {9, 12, 5}});
  // A ball whose corners have the lattice's own coordinates.
  TriangleMesh ball = make_star(6, [](const Vec3&) { return 1; });
  for (Vec3& vertex : ball.vertices)
    vertex = (vertex * 8).array().round() / 8;
  expect_right_sides(ball, {Vec3::Constant(-1.25), 0.125, {20, 20, 20}});
}

TEST(EnclosedPoints, are_outside_of_cavities) {
  const TriangleMesh hollow =
      joined(make_box({0, 0, 0}, {3, 3, 3}), turned(make_box({1, 1, 1}, {2, 2, 2})));
  expect_right_sides(hollow, {Vec3::Constant(-0.4), 0.35, {11, 11, 11}});
}

TEST(EnclosedPoints, refuse_shells_that_contradict_each_other) {
  const BccLattice lattice{Vec3::Constant(-0.4), 0.35, {11, 11, 11}};
  const TriangleMesh nested =
      joined(make_box({0, 0, 0}, {3, 3, 3}), make_box({1, 1, 1}, {2, 2, 2}));
  EXPECT_FALSE(enclosed_points(nested, grid_of(nested), lattice));
  const TriangleMesh inward =
      joined(make_box({0, 0, 0}, {1, 3, 3}), turned(make_box({2, 0, 0}, {3, 1, 1})));
  EXPECT_FALSE(enclosed_points(inward, grid_of(inward), lattice));
}

}  // namespace
}  // namespace sluice::geometry
