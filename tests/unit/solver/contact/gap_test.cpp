// SPDX-License-Identifier: Apache-2.0
// Oracles: regions worked by hand; finite differences of the distance.
#include "solver/contact/gap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/unit/solver/contact/random_motion.h"

namespace sluice::contact {
namespace {

using geometry::PointTriangleMotion;

// The triangle (0,0) (1,0) (0,1) stands still; the particle goes from one point to another.
PointTriangleMotion past_a_still_triangle(const Vec3& from, const Vec3& to) {
  return {from, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, to, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
}

TEST(MeasureGap, IsTheHandWorkedOneInEachRegion) {
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
    const PairGap gap = measure_gap(past_a_still_triangle(c.from, c.to));
    const bool is_linearised = std::string(c.where) == "through and beside";
    EXPECT_NEAR(gap.distance, c.distance, 1e-12);
    EXPECT_LT((gap.normal - c.normal).norm(), 1e-12);
    EXPECT_LT((gap.weights - c.weights).norm(), is_linearised ? 0.3 : 1e-12);
  }
}

TEST(MeasureGap, HasAFiniteAnswerWhereThePairStartsInContact) {
  const PairGap gap = measure_gap(past_a_still_triangle({0.25, 0.25, 0}, {0.25, 0.25, -1}));
  EXPECT_TRUE(gap.normal.isZero());
  EXPECT_EQ(gap.distance, 0);
}

// What makes equal and opposite impulses along the normal conserve angular momentum: it points from
// the triangle's point to the particle. Where the gap is linearised at an earlier contact it need
// not.
TEST(MeasureGap, NormalPointsFromTheTrianglesPointToTheParticle) {
  std::mt19937_64 random{1};
  int through = 0, linearised = 0;
  for (int i = 0; i < 20'000; ++i) {
    const PointTriangleMotion m = test::random_motion(random);
    const PairGap gap = measure_gap(m);
    const Vec3& w = gap.weights;
    EXPECT_NEAR(w.sum(), 1, 1e-14);
    EXPECT_NEAR(gap.normal.norm(), 1, 1e-12);
    const Vec3 between = m.p_t1 - (w[0] * m.a_t1 + w[1] * m.b_t1 + w[2] * m.c_t1);
    EXPECT_NEAR(gap.normal.dot(between), gap.distance, 1e-14);
    const bool meets = geometry::first_contact(m).has_value();
    through += meets;
    if (between.cross(gap.normal).norm() > 1e-12) {
      EXPECT_TRUE(meets);
      ++linearised;
    }
  }
  EXPECT_GT(through, 1000);
  EXPECT_LT(linearised, through / 2);
}

// The gap's normal and weights are the gradient of the distance.
TEST(MeasureGap, GradientAgreesWithFiniteDifferences) {
  std::mt19937_64 random{3};
  const double h = 1e-6;
  int checked = 0;
  for (int i = 0; i < 3000; ++i) {
    const PointTriangleMotion m = test::random_motion(random);
    std::array<Vec3, 4> x{m.p_t1, m.a_t1, m.b_t1, m.c_t1};
    const auto distance = [&] { return measure_gap(x[0], x[1], x[2], x[3]).distance; };
    const PairGap gap = measure_gap(x[0], x[1], x[2], x[3]);
    const auto area = (m.b_t1 - m.a_t1).cross(m.c_t1 - m.a_t1).norm();
    if (gap.distance < 0.01 || area < 0.1) continue;  // Curved within h there.
    ++checked;
    for (std::size_t point = 0; point < 4; ++point) {
      for (Eigen::Index axis = 0; axis < 3; ++axis) {
        const double at = x[point][axis];
        x[point][axis] = at + h;
        const double above = distance();
        x[point][axis] = at - h;
        const double below = distance();
        x[point][axis] = at;
        const double weight = point == 0 ? 1 : -gap.weights[Eigen::Index(point) - 1];
        EXPECT_NEAR((above - below) / (2 * h), weight * gap.normal[axis], 1e-4);
      }
    }
  }
  EXPECT_GT(checked, 1000);
}

}  // namespace
}  // namespace sluice::contact
