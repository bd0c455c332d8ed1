// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/shape.h"

#include <gtest/gtest.h>

#include <random>

namespace sluice::geometry {
namespace {

constexpr double tolerance = 1e-12;

struct DistanceCase {
  const char* where;
  Shape shape;
  Vec3 point;
  double distance;
  Vec3 normal;
};

TEST(SignedDistance, is_the_hand_worked_one_in_each_region) {
  const Shape box{Box{{1, 2, 3}}}, sphere{Sphere{2}}, capsule{Capsule{1, 2}},
      cylinder{Cylinder{2, 1}}, ground{HalfSpace{}};
  const DistanceCase cases[] = {
      {"box face", box, {3, 0, 0}, 2, {1, 0, 0}},
      {"box edge", box, {-4, 6, 0}, 5, {-0.6, 0.8, 0}},
      {"box corner", box, {2, 3, -4}, std::sqrt(3.0), Vec3{1, 1, -1} / std::sqrt(3.0)},
      {"box inside", box, {0, 1.5, 0}, -0.5, {0, 1, 0}},
      {"box surface", box, {1, 0, 0}, 0, {1, 0, 0}},
      {"sphere outside", sphere, {0, -5, 0}, 3, {0, -1, 0}},
      {"sphere inside", sphere, {0.5, 0, 0}, -1.5, {1, 0, 0}},
      {"capsule side", capsule, {3, 0, 1}, 2, {1, 0, 0}},
      {"capsule end", capsule, {0, 3, -6}, 4, {0, 0.6, -0.8}},
      {"cylinder side", cylinder, {0, 5, 0.5}, 3, {0, 1, 0}},
      {"cylinder cap", cylinder, {1, 0, -3}, 2, {0, 0, -1}},
      {"cylinder rim", cylinder, {5, 0, 5}, 5, {0.6, 0, 0.8}},
      {"cylinder inside", cylinder, {0.1, 0, 0.8}, -0.2, {0, 0, 1}},
      {"above ground", ground, {7, 8, 2}, 2, {0, 0, 1}},
      {"below ground", ground, {7, 8, -2}, -2, {0, 0, 1}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.where);
    const SignedDistance found = signed_distance(c.shape, c.point);

    EXPECT_NEAR(found.distance, c.distance, tolerance);
    EXPECT_LT((found.normal - c.normal).norm(), tolerance);
  }
}

TEST(SignedDistance, has_a_unit_normal_on_the_medial_axis) {
  for (const Shape& shape : {Shape{Box{{1, 1, 1}}}, Shape{Sphere{1}}, Shape{Capsule{1, 1}},
                             Shape{Cylinder{1, 1}}, Shape{HalfSpace{}}}) {
    EXPECT_NEAR(signed_distance(shape, Vec3::Zero()).normal.norm(), 1, tolerance);
  }
}

class RandomShape : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(, RandomShape, testing::Range(0, 5));

Shape make_shape(int form, const Mat3& rotation, const Vec3& translation) {
  Shape shape{Box{{0.3, 0.5, 0.7}}, translation, rotation};
  if (form == 1) shape.form = Sphere{0.6};
  if (form == 2) shape.form = Capsule{0.4, 0.5};
  if (form == 3) shape.form = Cylinder{0.4, 0.5};
  if (form == 4) shape.form = HalfSpace{};
  return shape;
}

// Oracle: a distance field is the distance to its own zero level: stepping from p by -distance
// along the normal lands on the surface, and no nearer surface point is found along any direction.
TEST_P(RandomShape, steps_onto_its_surface_and_no_further_than_any_other_way) {
  std::mt19937_64 random{1};
  std::uniform_real_distribution<double> uniform{-1, 1};
  const auto point = [&] { return Vec3{uniform(random), uniform(random), uniform(random)}; };
  for (int i = 0; i < 2000; ++i) {
    const Mat3 rotation = Eigen::Quaterniond(uniform(random), uniform(random), uniform(random), 0.1)
                              .normalized()
                              .toRotationMatrix();
    const Shape shape = make_shape(GetParam(), rotation, point());
    const Vec3 p = 1.5 * point();
    const SignedDistance found = signed_distance(shape, p);
    EXPECT_NEAR(found.normal.norm(), 1, tolerance);
    EXPECT_NEAR(signed_distance(shape, p - found.distance * found.normal).distance, 0, 1e-9);
    // Within the ball of radius |distance| the sign never changes: nothing of the surface is
    // nearer.
    const Vec3 other = p + 0.999 * std::abs(found.distance) * point().normalized();
    EXPECT_EQ(signed_distance(shape, other).distance > 0, found.distance > 0);
    // Whatever is inside is within the bounds.
    const Bounds box = bounds(shape);
    if (found.distance <= 0) {
      EXPECT_TRUE((p.array() >= box.lower.array()).all() && (p.array() <= box.upper.array()).all());
    }
  }
}

}  // namespace
}  // namespace sluice::geometry
