// SPDX-License-Identifier: Apache-2.0
// Oracles: regions worked by hand; finite differences of the distance.
#include "solver/contact/gap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/unit/solver/contact/random_motion.h"

namespace sluice::contact {
namespace {

using geometry::PairPoints;
using test::PairMotion;

// The triangle (0,0) (1,0) (0,1) stands still; the particle goes from one point to another.
PairGap past_a_still_triangle(const Vec3& from, const Vec3& to) {
  const Vec3 a(0, 0, 0), b(1, 0, 0), c(0, 1, 0);
  return measure_gap(PairKind::point_triangle, {from, a, b, c}, {to, a, b, c});
}

// The edge from (-1,0,0) to (1,0,0) stands still; one along y, as long, goes from one place of its
// middle to another.
PairGap past_a_still_edge(const Vec3& from, const Vec3& to) {
  const Vec3 c(-1, 0, 0), d(1, 0, 0), half(0, 1, 0);
  return measure_gap(PairKind::edge_edge, {from - half, from + half, c, d},
                     {to - half, to + half, c, d});
}

TEST(MeasureGap, is_the_hand_worked_one_in_each_region) {
  const struct {
    const char* where;
    Vec3 from, to, normal, weights;
    double distance;
  } cases[] = {
      {"face, above", {0.25, 0.25, 2}, {0.25, 0.25, 1}, {0, 0, 1}, {0.5, 0.25, 0.25}, 1},
      {"face, below", {0.25, 0.25, -2}, {0.25, 0.25, -1}, {0, 0, -1}, {0.5, 0.25, 0.25}, 1},
      {"face, through", {0.25, 0.25, 2}, {0.25, 0.25, -1}, {0, 0, 1}, {0.5, 0.25, 0.25}, -1},
      {"face, through from below",
       {0.25, 0.25, -2},
       {0.25, 0.25, 1},
       {0, 0, -1},
       {0.5, 0.25, 0.25},
       -1},
      {"edge", {0.5, -3, 4}, {0.5, -0.3, 0.4}, {0, -0.6, 0.8}, {0.5, 0.5, 0}, 0.5},
      {"vertex", {-2, -3, 6}, {-0.2, -0.3, 0.6}, Vec3{-2, -3, 6} / 7, {1, 0, 0}, 0.7},
      {"round the edge",
       {0.25, -1, 1},
       {0.25, -1, -1},
       Vec3{0, -1, -1} / std::sqrt(2.0),
       {0.75, 0.25, 0},
       std::sqrt(2.0)},
      // Through the face at (0.25, 0.25, 0), and on to a place from which an edge is nearest.
      {"through and beside", {0.25, 2.25, 1}, {0.25, -1.75, -1}, {0, 0, 1}, {0.5, 0.25, 0.25}, -1},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.where);
    const PairGap gap = past_a_still_triangle(c.from, c.to);
    const bool is_linearised = std::string(c.where) == "through and beside";
    EXPECT_NEAR(gap.distance, c.distance, 1e-12);
    EXPECT_LT((gap.normal - c.normal).norm(), 1e-12);
    EXPECT_EQ(gap.weights[0], 1);
    EXPECT_LT((gap.weights.tail<3>() + c.weights).norm(), is_linearised ? 0.3 : 1e-12);
  }
}

TEST(MeasureGap, has_a_finite_answer_where_the_pair_starts_in_contact) {
  const PairGap gap = past_a_still_triangle({0.25, 0.25, 0}, {0.25, 0.25, -1});
  EXPECT_TRUE(gap.normal.isZero());
  EXPECT_EQ(gap.distance, 0);
}

TEST(MeasureGap, is_the_hand_worked_one_of_edges) {
  const struct {
    const char* where;
    Vec3 from, to, normal;
    geometry::Vec4 weights;
    double distance;
  } cases[] = {
      {"above", {0.5, 0, 2}, {0.5, 0.5, 1}, {0, 0, 1}, {0.75, 0.25, -0.25, -0.75}, 1},
      {"through", {0.5, 0, 2}, {0.5, 0.5, -1}, {0, 0, 1}, {0.75, 0.25, -0.25, -0.75}, -1},
      {"through from below", {0, 0, -2}, {0, 0, 1}, {0, 0, -1}, {0.5, 0.5, -0.5, -0.5}, -1},
      {"past an end", {1.3, 0, 2}, {1.3, 0, 0.4}, {0.6, 0, 0.8}, {0.5, 0.5, 0, -1}, 0.5},
      {"end to end", {-3, 3, 6}, {-3, 3, 4}, {-2, 2, 4}, {1, 0, -1, 0}, std::sqrt(24.0)},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.where);
    const PairGap gap = past_a_still_edge(c.from, c.to);
    EXPECT_NEAR(gap.distance, c.distance, 1e-12);
    EXPECT_LT((gap.normal - c.normal.normalized()).norm(), 1e-12);
    EXPECT_LT((gap.weights - c.weights).norm(), 1e-12);
  }
}

// What makes equal and opposite impulses along the normal conserve angular momentum: it points from
// one nearest point to the other. Where the gap is linearised at an earlier contact it need not.
TEST(MeasureGap, normal_points_from_the_nearest_point_to_the_other) {
  for (const PairKind kind : {PairKind::point_triangle, PairKind::edge_edge}) {
    std::mt19937_64 random{1};
    int through = 0, linearised = 0;
    for (int i = 0; i < 20'000; ++i) {
      const PairMotion m = test::random_motion(kind, random);
      const PairGap gap = measure_gap(kind, m.t0, m.t1);
      const geometry::Vec4& w = gap.weights;
      EXPECT_NEAR(w.sum(), 0, 1e-14);
      EXPECT_NEAR(w.cwiseAbs().sum(), 2, 1e-14);
      EXPECT_NEAR(gap.normal.norm(), 1, 1e-12);
      const Vec3 between = w[0] * m.t1[0] + w[1] * m.t1[1] + w[2] * m.t1[2] + w[3] * m.t1[3];
      EXPECT_NEAR(gap.normal.dot(between), gap.distance, 1e-14);
      const bool meets = first_contact(kind, m.t0, m.t1).has_value();
      through += meets;
      if (between.cross(gap.normal).norm() > 1e-12) {
        EXPECT_TRUE(meets);
        ++linearised;
      }
    }
    EXPECT_GT(through, 1000);
    EXPECT_LT(linearised, through / 2);
  }
}

// The gap's normal and weights are the gradient of the distance.
TEST(MeasureGap, gradient_agrees_with_finite_differences) {
  constexpr double h = 1e-6;
  for (const PairKind kind : {PairKind::point_triangle, PairKind::edge_edge}) {
    std::mt19937_64 random{3};
    int checked = 0;
    for (int i = 0; i < 3000; ++i) {
      PairPoints x = test::random_motion(kind, random).t1;
      const PairGap gap = measure_gap(kind, x);
      const Vec3 across = kind == PairKind::edge_edge ? (x[1] - x[0]).cross(x[3] - x[2])
                                                      : (x[2] - x[1]).cross(x[3] - x[1]);
      if (gap.distance < 0.01 || across.norm() < 0.1) continue;  // Curved within h there.
      ++checked;
      for (std::size_t point = 0; point < 4; ++point) {
        for (Eigen::Index axis = 0; axis < 3; ++axis) {
          const double at = x[point][axis];
          x[point][axis] = at + h;
          const double above = measure_gap(kind, x).distance;
          x[point][axis] = at - h;
          const double below = measure_gap(kind, x).distance;
          x[point][axis] = at;
          EXPECT_NEAR((above - below) / (2 * h),
                      gap.weights[Eigen::Index(point)] * gap.normal[axis], 1e-4);
        }
      }
    }
    EXPECT_GT(checked, 1000);
  }
}

}  // namespace
}  // namespace sluice::contact
