// SPDX-License-Identifier: Apache-2.0
// Oracle: conservation of momentum.
#include "solver/contact/projection.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/unit/solver/contact/random_pair.h"

namespace sluice::contact {
namespace {

using geometry::PointTriangleMotion;

struct RandomPair {
  PointTriangleMotion motion;
  PairValues inverse_masses, shares;
};

// Some points are held.
RandomPair random_pair(std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform{-1, 1};
  RandomPair pair{test::random_motion(random), {}, {1, {1, 1, 1}}};
  const auto inverse_mass = [&] { return random() % 5 == 0 ? 0 : std::exp(4 * uniform(random)); };
  pair.inverse_masses = {inverse_mass(), {inverse_mass(), inverse_mass(), inverse_mass()}};
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

}  // namespace
}  // namespace sluice::contact
