// SPDX-License-Identifier: Apache-2.0
#include "solver/solid/rigid/mass_properties.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "tests/unit/solver/geometry/closed_meshes.h"

namespace sluice::solid {
namespace {

using testing::HasSubstr;

using std::numbers::pi;

Mat3 some_rotation() {
  return Eigen::AngleAxisd(1.1, Vec3(1, -2, 0.5).normalized()).toRotationMatrix();
}

geometry::TriangleMesh rotated(geometry::TriangleMesh mesh, const Mat3& rotation) {
  for (Vec3& vertex : mesh.vertices)
    vertex = rotation * vertex;
  return mesh;
}

void expect_equal(const MassProperties& found, const MassProperties& expected, double tolerance) {
  EXPECT_NEAR(found.mass, expected.mass, tolerance * expected.mass);
  EXPECT_LT((found.centre - expected.centre).norm(), tolerance);
  EXPECT_LT((found.inertia - expected.inertia).norm(), tolerance * expected.inertia.norm());
}

// Oracle: m/12 (b^2 + c^2) and so on, turned by R I R^T and moved.
TEST(MassProperties, of_a_box_are_exact_wherever_it_is) {
  const Vec3 size{1, 2, 3}, offset{4, 5, -6};
  const Mat3 R = some_rotation();
  const Vec3 diagonal{(4 + 9) / 12.0, (1 + 9) / 12.0, (1 + 4) / 12.0};
  const MassProperties expected{7 * 6, offset, 7 * 6 * R * diagonal.asDiagonal() * R.transpose()};
  const auto mesh = geometry::moved(rotated(geometry::make_box(-size / 2, size / 2), R), offset);
  const auto of_mesh = mass_properties(mesh, 7);
  ASSERT_TRUE(of_mesh);
  expect_equal(of_mesh.value(), expected, 1e-14);
  const auto of_shape = mass_properties(geometry::Shape{geometry::Box{size / 2}, offset, R}, 7);
  ASSERT_TRUE(of_shape);
  expect_equal(of_shape.value(), expected, 1e-15);
  // Far away only the digits of the coordinates are lost: 1e6 has 1e-10 left.
  const auto far = mass_properties(geometry::moved(mesh, Vec3::Constant(1e6)), 7);
  ASSERT_TRUE(far);
  EXPECT_LT((far.value().inertia - expected.inertia).norm(), 1e-8 * expected.inertia.norm());
}

// Oracle: the corner of a cube: volume 1/6, centre 1/4, second moments 1/60 and products 1/120
// about the corner, by hand.
TEST(MassProperties, of_a_tetrahedron_have_products_of_inertia) {
  const geometry::TriangleMesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                    {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};
  const auto found = mass_properties(mesh, 1);
  ASSERT_TRUE(found) << found.error().message;
  const double m = 1.0 / 6, on = 2.0 / 60 - 2 * m / 16, off = -(1.0 / 120 - m / 16);
  Mat3 inertia;
  inertia << on, off, off, off, on, off, off, off, on;
  expect_equal(found.value(), {m, Vec3::Constant(0.25), inertia}, 1e-14);
}

// Oracle: closed formulas; the polygons' error is of second order: 2 pi^2 / n^2 / 3 of the whole,
// times five for inertia, and falls by 4 as n doubles.
TEST(MassProperties, of_meshes_approach_those_of_what_they_approximate) {
  const auto error_of = [](const geometry::TriangleMesh& mesh, const MassProperties& expected) {
    const auto found = mass_properties(mesh, 1);
    EXPECT_TRUE(found);
    return (found.value().inertia - expected.inertia).norm() / expected.inertia.norm();
  };
  const auto ball = mass_properties(geometry::Shape{geometry::Sphere{1.5}}, 1);
  ASSERT_TRUE(ball);
  EXPECT_NEAR(ball.value().mass, 4.0 / 3 * pi * std::pow(1.5, 3), 1e-14);
  EXPECT_NEAR(ball.value().inertia(1, 1), 0.4 * ball.value().mass * 2.25, 1e-14);
  const double coarse = error_of(geometry::make_sphere(20, 1.5), ball.value());
  const double fine = error_of(geometry::make_sphere(40, 1.5), ball.value());
  EXPECT_LT(fine, 0.015);
  EXPECT_NEAR(coarse / fine, 4, 0.4);
  // The ring: m (R^2 + 3/4 r^2) about its axis, m (R^2 / 2 + 5/8 r^2) across.
  const double R = 1, r = 0.3, m = 2 * pi * pi * R * r * r;
  const Vec3 ring{m * (R * R / 2 + 5 * r * r / 8), m * (R * R / 2 + 5 * r * r / 8),
                  m * (R * R + 3 * r * r / 4)};
  EXPECT_LT(error_of(geometry::make_torus(100, R, r), {m, Vec3::Zero(), ring.asDiagonal()}), 0.005);
}

// Oracle: sampling; a million points are good to some 0.2 % of each moment.
TEST(MassProperties, of_cylinder_and_capsule_are_those_of_their_points) {
  const geometry::Shape shapes[] = {{geometry::Cylinder{0.5, 0.8}, {1, 2, 3}, some_rotation()},
                                    {geometry::Capsule{0.4, 0.7}, {1, 2, 3}, some_rotation()}};
  std::mt19937_64 random{1};
  std::uniform_real_distribution<double> unit(-1, 1);
  for (const geometry::Shape& shape : shapes) {
    const auto found = mass_properties(shape, 3);
    ASSERT_TRUE(found);
    constexpr int count = 1'000'000;
    const double half = 1.4;
    double inside = 0;
    Mat3 second = Mat3::Zero();
    for (int i = 0; i < count; ++i) {
      const Vec3 x = half * Vec3(unit(random), unit(random), unit(random));
      if (geometry::signed_distance(shape, x + shape.translation).distance > 0) continue;
      ++inside;
      second += x * x.transpose();
    }
    const double weight = 3 * std::pow(2 * half, 3) / count;
    const Mat3 inertia = weight * (second.trace() * Mat3::Identity() - second);
    EXPECT_NEAR(found.value().mass / (weight * inside), 1, 0.01);
    EXPECT_LT((found.value().inertia - inertia).norm(), 0.01 * inertia.norm());
    EXPECT_EQ(found.value().centre, shape.translation);
  }
}

TEST(MassProperties, says_what_is_wrong) {
  const auto box = geometry::make_box({0, 0, 0}, {1, 1, 1});
  for (const double density : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    const auto found = mass_properties(box, density);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, ErrorCode::invalid_scene);
    EXPECT_THAT(found.error().message, HasSubstr("density must be positive"));
  }
  const auto inward = mass_properties(geometry::turned(box), 1);
  ASSERT_FALSE(inward);
  EXPECT_EQ(inward.error().code, ErrorCode::invalid_mesh);
  const auto half_space = mass_properties(geometry::Shape{geometry::HalfSpace{}}, 1);
  ASSERT_FALSE(half_space);
  EXPECT_THAT(half_space.error().message, HasSubstr("half-space"));
}

// Oracle: the tensor they were made of.
TEST(PrincipalAxes, diagonalise_the_tensor) {
  const Mat3 R = some_rotation();
  const Mat3 inertia = R * Vec3(3, 1, 2).asDiagonal() * R.transpose();
  const PrincipalAxes axes = principal_axes(inertia);
  EXPECT_LT((axes.moments - Vec3(1, 2, 3)).norm(), 1e-14);
  const Mat3 Q = axes.rotation.toRotationMatrix();
  EXPECT_NEAR(Q.determinant(), 1, 1e-14);
  EXPECT_LT((Q * axes.moments.asDiagonal() * Q.transpose() - inertia).norm(), 1e-14);
}

}  // namespace
}  // namespace sluice::solid
