// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/endless_shape.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

namespace sluice::geometry {
namespace {

const Vec3 along = Vec3::UnitY();

Shape placed(decltype(Shape::form) form, const Mat3& rotation) {
  return {form, {0.3, 0.5, 0.1}, rotation};
}

Mat3 turned(double angle, const Vec3& axis) {
  return Eigen::AngleAxisd(angle, axis).toRotationMatrix();
}

// The distance in the plane, worked out by hand: to the top of a box that is 2 mm deep along y.
TEST(EndlessAlong, a_thin_box_has_no_ends) {
  const Shape box = placed(Box{{0.2, 1e-3, 0.1}}, turned(0.4, along));
  const Vec3 inside = box.translation + box.rotation * Vec3(0.05, 0, 0.07);
  ASSERT_NEAR(signed_distance(box, inside).distance, -1e-3, 1e-12);
  const SignedDistance endless =
      signed_distance(endless_along(box, along, box.translation), inside);
  EXPECT_NEAR(endless.distance, -0.03, 1e-9);
  EXPECT_TRUE(endless.normal.isApprox(box.rotation.col(2), 1e-9)) << endless.normal.transpose();
}

TEST(EndlessAlong, a_thin_cylinder_and_a_capsule_have_no_ends) {
  const Mat3 upright = turned(std::acos(0.0), Vec3::UnitX());
  const Vec3 offset(0.06, 0, 0.08);
  for (const Shape& shape :
       {placed(Cylinder{0.15, 1e-3}, upright), placed(Capsule{0.15, 1e-3}, upright)}) {
    const Shape endless = endless_along(shape, along, shape.translation + 5e-4 * along);
    const SignedDistance surface =
        signed_distance(endless, shape.translation + offset + 5e-4 * along);
    EXPECT_NEAR(surface.distance, -0.05, 1e-9);
    EXPECT_TRUE(surface.normal.isApprox(offset.normalized(), 1e-9));
  }
}

TEST(EndlessAlong, leaves_what_is_slanted_round_or_not_in_the_plane) {
  const auto is_left = [](const Shape& shape, const Vec3& point) {
    const Shape endless = endless_along(shape, along, point);
    const Vec3 far_along = shape.translation + 10 * along;
    return signed_distance(endless, far_along).distance ==
           signed_distance(shape, far_along).distance;
  };
  const Box box{{0.2, 1e-3, 0.1}};
  EXPECT_TRUE(is_left(placed(box, turned(0.01, Vec3::UnitX())), {0.3, 0.5, 0.1}));
  EXPECT_TRUE(is_left(placed(Sphere{0.1}, Mat3::Identity()), {0.3, 0.5, 0.1}));
  EXPECT_TRUE(is_left(placed(box, Mat3::Identity()), {0.3, 0.502, 0.1})) << "beside its end";
}

}  // namespace
}  // namespace sluice::geometry
