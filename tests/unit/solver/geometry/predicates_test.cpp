// SPDX-License-Identifier: Apache-2.0
// Oracle: rational arithmetic.
#include "solver/geometry/predicates.h"

#include <gtest/gtest.h>
#include <boost/multiprecision/cpp_int.hpp>

#include <cmath>
#include <random>

namespace sluice::geometry {
namespace {

using Rational = boost::multiprecision::cpp_rational;

int rational_orientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  std::array<std::array<Rational, 3>, 3> m;
  const std::array points{&a, &b, &c};
  for (std::size_t i = 0; i < 3; ++i) {
    for (Eigen::Index k = 0; k < 3; ++k) {
      m[i][std::size_t(k)] = Rational((*points[i])[k]) - Rational(d[k]);
    }
  }
  const Rational determinant = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                               m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                               m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
  return determinant.sign();
}

double nudged(double value, std::mt19937_64& random) {
  for (std::uint64_t steps = random() % 4; steps > 0; --steps)
    value = std::nextafter(value, 9e9);
  return value;
}

TEST(Orientation, is_the_hand_worked_one) {
  EXPECT_EQ(orientation(Vec3{0, 0, 0}, Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, -1}), 1);
  EXPECT_EQ(orientation(Vec3{0, 0, 0}, Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}), -1);
  EXPECT_EQ(orientation(Vec3{0, 0, 0}, Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{5, 7, 0}), 0);
  EXPECT_EQ(orientation({0, 0}, {1, 0}, {0, 1}), 1);
  EXPECT_EQ(orientation({0, 0}, {1, 0}, {2, -1}), -1);
  EXPECT_EQ(orientation({0, 0}, {1, 1}, {3, 3}), 0);
}

TEST(Orientation, is_exact_for_nearly_coplanar_points) {
  std::mt19937_64 random{1};
  std::uniform_real_distribution<double> uniform{-1, 1};
  int zeros = 0, misrounded = 0;
  for (int i = 0; i < 30'000; ++i) {
    const double scale = std::ldexp(1, int(random() % 60) - 30);
    std::array<Vec3, 4> p;
    for (Vec3& point : p) {
      // On the plane x + y + z = 1, up to rounding and an ulp or three; a third exactly on z = 1/4.
      const double x = uniform(random), y = uniform(random);
      point = scale * Vec3{x, y, i % 3 == 0 ? 0.25 : nudged(1 - x - y, random)};
    }
    const int expected = rational_orientation(p[0], p[1], p[2], p[3]);
    ASSERT_EQ(orientation(p[0], p[1], p[2], p[3]), expected);
    zeros += expected == 0;
    const double rounded = (p[0] - p[3]).dot((p[1] - p[3]).cross(p[2] - p[3]));
    misrounded += (rounded > 0) - (rounded < 0) != expected;
  }
  EXPECT_GE(zeros, 10'000);
  EXPECT_GE(misrounded, 1000);  // Else the test would not need the exact stage.
}

TEST(Orientation, is_exact_for_nearly_collinear_points) {
  std::mt19937_64 random{1};
  std::uniform_real_distribution<double> uniform{-1, 1};
  for (int i = 0; i < 30'000; ++i) {
    std::array<Eigen::Vector2d, 3> p;
    for (auto& point : p) {
      const double x = uniform(random);
      point = {x, nudged(x / 3, random)};
    }
    const auto q = [](double value) { return Rational(value); };
    const Rational expected = (q(p[0].x()) - q(p[2].x())) * (q(p[1].y()) - q(p[2].y())) -
                              (q(p[0].y()) - q(p[2].y())) * (q(p[1].x()) - q(p[2].x()));
    ASSERT_EQ(orientation(p[0], p[1], p[2]), expected.sign());
  }
}

}  // namespace
}  // namespace sluice::geometry
