// SPDX-License-Identifier: Apache-2.0
// Oracles: regions worked by hand; conservation of momentum; finite differences of the distance.
#include "solver/contact/projection.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "solver/geometry/point_triangle.h"

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

TEST(MeasureGap, HasNoNormalWhereThePairStartsInContact) {
  const PairGap gap = measure_gap(past_a_still_triangle({0.25, 0.25, 0}, {0.25, 0.25, -1}));
  const PairShifts shifts = project(gap, 0.1, {1, {1, 1, 1}}, {1, {1, 1, 1}});
  EXPECT_TRUE(shifts.particle.allFinite());
}

struct RandomPair {
  PointTriangleMotion motion;
  PairValues inverse_masses, shares;
};

// Particles near the face, edges and corners of moving triangles, some through; some points held.
RandomPair random_pair(std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform{-1, 1};
  const auto point = [&](double size) {
    return Vec3(size * Vec3{uniform(random), uniform(random), uniform(random)});
  };
  RandomPair pair;
  PointTriangleMotion& m = pair.motion;
  m.a_t0 = point(1);
  m.b_t0 = point(1);
  m.c_t0 = point(1);
  const Vec3 w = point(1).cwiseAbs();
  const Vec3 on_triangle = (w[0] * m.a_t0 + w[1] * m.b_t0 + w[2] * m.c_t0) / w.sum();
  m.p_t0 = on_triangle + point(0.2);
  m.p_t1 = m.p_t0 + point(0.3);
  m.a_t1 = m.a_t0 + point(0.05);
  m.b_t1 = m.b_t0 + point(0.05);
  m.c_t1 = m.c_t0 + point(0.05);
  const auto inverse_mass = [&] { return random() % 5 == 0 ? 0 : std::exp(4 * uniform(random)); };
  pair.inverse_masses = {inverse_mass(), {inverse_mass(), inverse_mass(), inverse_mass()}};
  pair.shares = {1, {1, 1, 1}};
  return pair;
}

// Of what can move: the momentum that holds a held point comes from outside.
TEST(Project, ConservesMomentumAndMeetsTheTarget) {
  std::mt19937_64 random{1};
  int through = 0, projected = 0;
  for (int i = 0; i < 20'000; ++i) {
    RandomPair pair = random_pair(random);
    // All free, for momentum is only conserved then.
    for (double& m : pair.inverse_masses.vertices)
      m = std::max(m, 0.01);
    pair.inverse_masses.particle = std::max(pair.inverse_masses.particle, 0.01);
    const PointTriangleMotion& m = pair.motion;
    const PairGap gap = measure_gap(m);
    const double target = 0.3;
    const PairShifts shifts = project(gap, target, pair.inverse_masses, pair.shares);
    if (gap.distance >= target) {
      EXPECT_TRUE(shifts.particle.isZero());
      continue;
    }
    ++projected;
    through += gap.distance < 0;
    const std::array<Vec3, 3> x{m.a_t1, m.b_t1, m.c_t1};
    const Vec3 from_particle = shifts.particle / pair.inverse_masses.particle;
    Vec3 linear = from_particle, angular = m.p_t1.cross(from_particle);
    Vec3 at_triangle = Vec3::Zero();
    double reached = gap.normal.dot(m.p_t1 + shifts.particle);
    for (std::size_t k = 0; k < 3; ++k) {
      const auto axis = Eigen::Index(k);
      const Vec3 momentum = shifts.vertices[k] / pair.inverse_masses.vertices[axis];
      linear += momentum;
      angular += x[k].cross(momentum);
      at_triangle += gap.weights[axis] * x[k];
      reached -= gap.weights[axis] * gap.normal.dot(x[k] + shifts.vertices[k]);
    }
    const double size = from_particle.norm();
    EXPECT_LT(linear.norm(), 1e-12 * size);
    EXPECT_NEAR(reached, target, 1e-12);
    // Where the gap is the distance in the state itself, not one linearised at an earlier contact.
    if ((m.p_t1 - at_triangle).cross(gap.normal).norm() < 1e-13) {
      EXPECT_LT(angular.norm(), 1e-12 * size);
    } else {
      EXPECT_LT(gap.distance, 0.3);
      EXPECT_TRUE(geometry::first_contact(m).has_value());
    }
  }
  EXPECT_GT(projected, 5000);
  EXPECT_GT(through, 1000);
}

TEST(Project, LeavesHeldPointsWhereTheyAre) {
  std::mt19937_64 random{2};
  for (int i = 0; i < 5000; ++i) {
    const RandomPair pair = random_pair(random);
    const PairShifts shifts =
        project(measure_gap(pair.motion), 0.3, pair.inverse_masses, pair.shares);
    if (pair.inverse_masses.particle == 0) {
      EXPECT_TRUE(shifts.particle.isZero());
    }
    for (std::size_t k = 0; k < 3; ++k) {
      if (pair.inverse_masses.vertices[Eigen::Index(k)] == 0) {
        EXPECT_TRUE(shifts.vertices[k].isZero());
      }
    }
  }
}

// The gap's normal and weights are the gradient of the distance.
TEST(MeasureGap, GradientAgreesWithFiniteDifferences) {
  std::mt19937_64 random{3};
  const double h = 1e-6;
  int checked = 0;
  for (int i = 0; i < 3000; ++i) {
    const PointTriangleMotion m = random_pair(random).motion;
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
