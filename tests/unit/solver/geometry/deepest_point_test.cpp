// SPDX-License-Identifier: Apache-2.0
// Oracles: by hand, and the least of many points of the triangle.
#include "solver/geometry/deepest_point.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace sluice::geometry {
namespace {

Vec3 place_of(const Triangle& t, const Vec3& weights) {
  return weights[0] * t.a + weights[1] * t.b + weights[2] * t.c;
}

TEST(DeepestPoint, finds_the_foot_above_a_ball_and_the_corner_below) {
  const Shape ball{Sphere{0.1}, {0.3, 0.2, 0}, Mat3::Identity()};
  const Triangle wide{{-1, -1, 0.15}, {2, -1, 0.15}, {0, 3, 0.15}};
  const DeepestPoint above = deepest_point(ball, wide);
  EXPECT_NEAR(above.distance, 0.05, 1e-6);
  EXPECT_LT((place_of(wide, above.weights) - Vec3(0.3, 0.2, 0.15)).norm(), 1e-3);
  const DeepestPoint corner = deepest_point(ball, {{0.3, 0.2, 0.15}, {1, 1, 1}, {1, 0, 1}});
  EXPECT_EQ(corner.weights, Vec3(1, 0, 0));
  EXPECT_NEAR(corner.distance, 0.05, 1e-12);
}

TEST(DeepestPoint, is_below_all_others_for_any_shape) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> anywhere(-1, 1), part(0, 1);
  const auto vector = [&] { return Vec3(anywhere(random), anywhere(random), anywhere(random)); };
  for (int i = 0; i < 200; ++i) {
    Shape shape{Box{{0.2, 0.1, 0.3}}, vector(),
                Eigen::AngleAxisd(3 * part(random), vector().normalized()).toRotationMatrix()};
    if (i % 4 == 1) shape.form = Capsule{0.1, 0.4};
    if (i % 4 == 2) shape.form = Cylinder{0.3, 0.2};
    if (i % 4 == 3) shape.form = Sphere{0.4};
    const Triangle triangle{vector(), vector(), vector()};
    const DeepestPoint found = deepest_point(shape, triangle);
    const Vec3 place = place_of(triangle, found.weights);
    EXPECT_NEAR(signed_distance(shape, place).distance, found.distance, 1e-12);
    for (int k = 0; k < 500; ++k) {
      double u = part(random), v = part(random);
      if (u + v > 1) {
        u = 1 - u;
        v = 1 - v;
      }
      const Vec3 other = place_of(triangle, {1 - u - v, u, v});
      EXPECT_LT(found.distance, signed_distance(shape, other).distance + 4e-4) << i;
    }
  }
}

}  // namespace
}  // namespace sluice::geometry
