// SPDX-License-Identifier: Apache-2.0
#include "solver/contact/friction.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <vector>

#include "tests/unit/solver/contact/contact_pairs.h"

namespace sluice::contact {
namespace {

constexpr double eps = 1e-3, mu = 0.4;
const Barrier barrier{200, 1e-2};

FrictionPair touching(PairSampler& sampler, PairKind kind) {
  PlacedPair placed = sampler.close(kind, 3e-3);
  placed.pair.friction = mu;
  return *lag_friction(barrier, placed.pair, placed.x);
}

TEST(Friction, is_at_most_the_coefficient_times_what_presses) {
  PairSampler sampler(1);
  for (int i = 0; i < 200; ++i) {
    const FrictionPair pair =
        touching(sampler, i % 2 == 0 ? PairKind::point_triangle : PairKind::edge_edge);
    ASSERT_NEAR(pair.limit, -mu * barrier.at(3e-3).slope, 1e-9 * pair.limit);
    const Vec3 tangent = pair.normal.cross(sampler.point()).normalized();
    const double along = sampler.uniform(-1, 1);  // The normal's part does nothing.
    for (const double y : {1e-9, 1e-5, 0.5e-3, 1e-3, 1.0}) {
      const Vec3 force = -friction_gradient(pair, eps, y * tangent + along * pair.normal);
      const double expected = y >= eps ? 1 : y / eps * (2 - y / eps);
      ASSERT_NEAR(force.dot(-tangent), pair.limit * expected, 1e-9 * pair.limit) << y;
      // What rounding leaves of a way of 1 m along the normal, over eps.
      ASSERT_NEAR(force.dot(pair.normal), 0, 1e-11 * pair.limit);
      ASSERT_LE(force.norm(), pair.limit * (1 + 1e-12));
    }
    ASSERT_EQ(friction_gradient(pair, eps, Vec3::Zero()), Vec3(Vec3::Zero()));
  }
}

TEST(Friction, has_the_derivatives_of_its_energy_and_is_convex) {
  PairSampler sampler(2);
  for (int i = 0; i < 300; ++i) {
    const FrictionPair pair = touching(sampler, PairKind::point_triangle);
    const Vec3 way = eps * std::pow(10, sampler.uniform(-2, 1)) * sampler.point();
    if (std::abs(way.norm() / eps - 1) < 0.1) continue;  // f0'' jumps there.
    const double h = 1e-3 * way.norm();
    const Vec3 gradient = friction_gradient(pair, eps, way);
    const Mat3 H = friction_hessian(pair, eps, way);
    for (int axis = 0; axis < 3; ++axis) {
      const Vec3 step = h * Vec3::Unit(axis);
      ASSERT_NEAR(
          gradient[axis],
          (friction_energy(pair, eps, way + step) - friction_energy(pair, eps, way - step)) /
              (2 * h),
          1e-5 * pair.limit);
      const Vec3 column =
          (friction_gradient(pair, eps, way + step) - friction_gradient(pair, eps, way - step)) /
          (2 * h);
      ASSERT_LE((H.col(axis) - column).norm(), 1e-5 * H.norm() + 1e-6 * pair.limit / eps);
    }
    const Eigen::SelfAdjointEigenSolver<Mat3> eigen(H);
    ASSERT_GE(eigen.eigenvalues()[0], -1e-12 * H.norm());
  }
}

TEST(Friction, changes_from_sticking_to_sliding_without_a_jump) {
  PairSampler sampler(3);
  const FrictionPair pair = touching(sampler, PairKind::edge_edge);
  const Vec3 tangent = pair.normal.cross(Vec3(1, 2, 3)).normalized();
  const auto gradient = [&](double y) { return friction_gradient(pair, eps, y * tangent); };
  EXPECT_LE((gradient(eps * (1 + 1e-9)) - gradient(eps * (1 - 1e-9))).norm(), 1e-15 * pair.limit);
  EXPECT_NEAR(friction_energy(pair, eps, eps * tangent), pair.limit * eps, 1e-14 * pair.limit);
  EXPECT_NEAR(friction_energy(pair, eps, eps * (1 - 1e-9) * tangent), pair.limit * eps,
              1e-11 * pair.limit);
}

// Both sides are pushed alike, a gap apart: that is what turns the pair, and nothing else.
TEST(Friction, has_no_resultant_and_the_moment_of_its_gap) {
  PairSampler sampler(5);
  for (int i = 0; i < 100; ++i) {
    PlacedPair placed =
        sampler.close(i % 2 == 0 ? PairKind::point_triangle : PairKind::edge_edge, 3e-3);
    placed.pair.friction = mu;
    const FrictionPair pair = *lag_friction(barrier, placed.pair, placed.x);
    const Vec3 slope = friction_gradient(pair, eps, 0.1 * sampler.point());
    Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
    for (std::size_t k = 0; k < 4; ++k) {
      const Vec3 f = pair.coefficients[static_cast<Eigen::Index>(k)] * slope;
      force += f;
      moment += placed.x[k].cross(f);
    }
    ASSERT_LE(force.norm(), 1e-12 * slope.norm());
    ASSERT_LE((moment - (3e-3 * pair.normal).cross(slope)).norm(), 1e-12 * slope.norm());
  }
}

TEST(Friction, is_none_where_nothing_presses_or_rubs) {
  PairSampler sampler(4);
  PlacedPair apart = sampler.close(PairKind::point_triangle, 1.01e-2);
  apart.pair.friction = mu;
  EXPECT_FALSE(lag_friction(barrier, apart.pair, apart.x));
  const PlacedPair smooth = sampler.close(PairKind::point_triangle, 3e-3);
  EXPECT_FALSE(lag_friction(barrier, smooth.pair, smooth.x));
  PlacedPair parallel = sampler.nearly_parallel(0, 3e-3);
  parallel.pair.friction = mu;
  const auto faded = lag_friction(barrier, parallel.pair, parallel.x);
  EXPECT_TRUE(!faded || faded->limit < 1e-12);
}

}  // namespace
}  // namespace sluice::contact
