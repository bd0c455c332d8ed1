// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/edge_edge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/unit/solver/geometry/quad_distance.h"

namespace sluice::geometry {
namespace {

TEST(NearestPoints, are_the_hand_worked_ones_in_each_of_the_nine_regions) {
  // The second edge is parallel to y in all of them, from (x, y, z) to (x, y + 2, z).
  const Edge first{{0, 0, 0}, {1, 0, 0}};
  const struct {
    const char* region;
    Vec3 second_start;
    double first_fraction, second_fraction, squared_distance;
  } cases[] = {
      {"both inside", {0.25, -0.5, 3}, 0.25, 0.25, 9},
      {"a, inside", {-2, -1, 0}, 0, 0.5, 4},
      {"b, inside", {4, -1.5, 0}, 1, 0.75, 9},
      {"inside, c", {0.5, 1, 2}, 0.5, 0, 5},
      {"inside, d", {0.75, -3, 1}, 0.75, 1, 2},
      {"a, c", {-1, 1, 0}, 0, 0, 2},
      {"a, d", {-1, -3, 1}, 0, 1, 3},
      {"b, c", {2, 2, 0}, 1, 0, 5},
      {"b, d", {3, -4, 2}, 1, 1, 12},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.region);
    const NearestPoints found =
        nearest_points(first, {c.second_start, c.second_start + Vec3(0, 2, 0)});
    EXPECT_NEAR(found.first_fraction, c.first_fraction, 1e-15);
    EXPECT_NEAR(found.second_fraction, c.second_fraction, 1e-15);
    EXPECT_NEAR(found.squared_distance, c.squared_distance, 1e-14);
    EXPECT_LE((found.on_first - Vec3(c.first_fraction, 0, 0)).norm(), 1e-15);
    EXPECT_LE((found.on_second - c.second_start - Vec3(0, 2 * c.second_fraction, 0)).norm(), 1e-15);
  }
}

TEST(NearestPoints, of_parallel_and_collapsed_edges_are_their_distance) {
  const Edge unit{{0, 0, 0}, {1, 0, 0}};
  EXPECT_EQ(nearest_points(unit, {{0.5, 2, 0}, {3, 2, 0}}).squared_distance, 4);  // Side by side.
  EXPECT_EQ(nearest_points(unit, {{3, 2, 0}, {0.5, 2, 0}}).squared_distance, 4);
  EXPECT_EQ(nearest_points(unit, {{3, 0, 1}, {5, 0, 1}}).squared_distance, 5);    // One after
  EXPECT_EQ(nearest_points(unit, {{-3, 0, 1}, {-1, 0, 1}}).squared_distance, 2);  // the other.
  EXPECT_EQ(nearest_points(unit, {{-3, 0, 0}, {5, 0, 0}}).squared_distance, 0);   // Overlapping.
  EXPECT_EQ(nearest_points(unit, {{0.5, 3, 0}, {0.5, 3, 0}}).squared_distance, 9);
  EXPECT_EQ(nearest_points({{0.5, 3, 0}, {0.5, 3, 0}}, unit).squared_distance, 9);
  EXPECT_EQ(nearest_points({{1, 1, 1}, {1, 1, 1}}, {{2, 2, 2}, {2, 2, 2}}).squared_distance, 3);
}

enum class EdgeShape { ordinary, parallel, coincident, needle, far };

class NearestPointsAccuracy : public testing::TestWithParam<EdgeShape> {};
INSTANTIATE_TEST_SUITE_P(, NearestPointsAccuracy,
                         testing::Values(EdgeShape::ordinary, EdgeShape::parallel,
                                         EdgeShape::coincident, EdgeShape::needle, EdgeShape::far));

// Against the same search in 113-bit arithmetic.
TEST_P(NearestPointsAccuracy, is_as_the_header_promises) {
  std::mt19937_64 random{1};
  std::uniform_real_distribution<double> uniform{-1, 1}, exponent{-17, 0};
  const auto point = [&] { return Vec3{uniform(random), uniform(random), uniform(random)}; };
  for (int i = 0; i < 20'000; ++i) {
    Vec3 a = point(), b = point(), c = point(), d = point();
    const Vec3 offset = std::pow(10, exponent(random)) * point();
    const Vec3 other = std::pow(10, exponent(random)) * point();
    if (GetParam() == EdgeShape::parallel) d = c + uniform(random) * (b - a) + offset;
    if (GetParam() == EdgeShape::coincident) {
      c = a + uniform(random) * (b - a) + offset;
      d = a + uniform(random) * (b - a) + other;
    }
    if (GetParam() == EdgeShape::needle) b = a + offset;
    if (GetParam() == EdgeShape::far) {
      for (Vec3* p : {&a, &b, &c, &d})
        *p += Vec3::Constant(100);
    }
    const NearestPoints found = nearest_points({a, b}, {c, d});
    const ExactEdges exact =
        exact_edges(a.cast<Quad>(), b.cast<Quad>(), c.cast<Quad>(), d.cast<Quad>());
    double largest = 0;
    for (const Vec3& p : {b, c, d})
      largest = std::max(largest, (p - a).cwiseAbs().maxCoeff());
    const Quad squared = exact.offset.dot(exact.offset);
    ASSERT_LE(std::abs(double(Quad(found.squared_distance) - squared)), 1e-14 * largest * largest)
        << "i = " << i;
    const double shorter = std::min((b - a).norm(), (d - c).norm());
    const double sine = (b - a).cross(d - c).norm() / ((b - a).norm() * (d - c).norm());
    const double promised = 1e-12 * largest / shorter / (sine * sine);
    if (!(promised < 1e-2)) continue;
    ASSERT_NEAR(found.first_fraction, double(exact.s), promised) << i;
    ASSERT_NEAR(found.second_fraction, double(exact.t), promised) << i;
  }
}

}  // namespace
}  // namespace sluice::geometry
