// SPDX-License-Identifier: Apache-2.0
#include "solver/solid/rigid/free_rotation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/unit/solver/solid/rigid/angle_between.h"

namespace sluice::solid {
namespace {

using std::numbers::pi;

// Oracle: conservation. Steps of 3 to 40 a turn, so of one part and of many; tops of any order of
// moments, near their unstable axis too. Angular momentum is the world's own number; that it is
// what the attitude says is the test of the attitude below.
TEST(RotateFreely, keeps_an_asymmetric_top_for_1000_turns) {
  double worst = 0;
  for (const Vec3& moments :
       {Vec3(1, 2, 3), Vec3(3, 1, 1.5), Vec3(10, 1, 10.5), Vec3(1, 1.01, 2)}) {
    for (const Vec3& spin :
         {Vec3(0.3, 1, 0.4), Vec3(1, 0.01, 0.01), Vec3(0.01, 1, 0.01), Vec3(0.01, 0.01, 1)}) {
      for (const double steps_per_turn : {3.0, 12.6, 40.0}) {
        const Rotor rotor{moments};
        const Vec3 momentum = moments.cwiseProduct(spin);
        const double step = 2 * pi / spin.norm() / steps_per_turn;
        Quaternion attitude = Quaternion::Identity();
        const double energy = rotational_energy(rotor, momentum, attitude);
        for (int i = 0; i < 1000 * steps_per_turn; ++i) {
          attitude = rotate_freely(rotor, momentum, step, attitude);
          const double now = rotational_energy(rotor, momentum, attitude);
          worst = std::max(worst, std::abs(now / energy - 1));
        }
        EXPECT_NEAR(attitude.norm(), 1, 1e-15);
      }
    }
  }
  EXPECT_LT(worst, 1e-8);  // Wanted are 1e-6. A part of twice the angle has 64 times the error.
}

// Oracle: a symmetric top precesses about its angular momentum at |L| / I, and turns about its axis
// at (1/I3 - 1/I) L3 besides: both exact.
TEST(RotateFreely, turns_a_symmetric_top_as_the_formula_says) {
  for (const double axial : {0.5, 3.0}) {
    const Rotor rotor{{1, 1, axial}};
    const Vec3 momentum{0.3, 0.4, 1.2};
    const Quaternion found = rotate_freely(rotor, momentum, 20, Quaternion::Identity());
    const Quaternion exact = rotation_by(20 * momentum) *
                             rotation_by(20 * (1 / axial - 1) * momentum.z() * Vec3::UnitZ());
    EXPECT_LT(angle_between(found, exact), 1e-12) << axial;
  }
}

// Oracle: Euler's equations with quaternions by the classic Runge-Kutta method of order 4 with tiny
// steps, which shares nothing with the splitting.
Quaternion runge_kutta(const Rotor& rotor, const Vec3& momentum, double time, int steps,
                       Quaternion attitude) {
  const double h = time / steps;
  const auto rate = [&](const Quaternion& q) {
    const Vec3 omega = angular_velocity(rotor, momentum, q.normalized());
    return Eigen::Vector4d(0.5 * (Quaternion(0, omega.x(), omega.y(), omega.z()) * q).coeffs());
  };
  for (int i = 0; i < steps; ++i) {
    const Eigen::Vector4d y = attitude.coeffs(), k1 = rate(attitude),
                          k2 = rate(Quaternion(y + h / 2 * k1)),
                          k3 = rate(Quaternion(y + h / 2 * k2)), k4 = rate(Quaternion(y + h * k3));
    attitude.coeffs() = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    attitude.normalize();
  }
  return attitude;
}

TEST(RotateFreely, follows_eulers_equations_with_order_six) {
  const Rotor rotor{{1, 2, 3}};
  const Vec3 momentum{0.7, 1.5, 0.9};
  const double time = 4;
  const Quaternion exact = runge_kutta(rotor, momentum, time, 40'000, Quaternion::Identity());
  const auto error_of = [&](int steps) {
    Quaternion attitude = Quaternion::Identity();
    for (int i = 0; i < steps; ++i)
      attitude = rotate_freely(rotor, momentum, time / steps, attitude);
    return angle_between(attitude, exact);
  };
  const double coarse = error_of(12), fine = error_of(24);  // Each step is one part.
  EXPECT_LT(coarse, 1e-9);
  EXPECT_GT(coarse / fine, 45);  // 64 for order 6; 16 would be order 4.
  EXPECT_LT(error_of(80), 1e-12);
}

// Oracle: symmetry of a symmetric composition.
TEST(RotateFreely, goes_back_the_same_way) {
  const Rotor rotor{{1, 2, 3}};
  const Vec3 momentum{0.7, 1.5, 0.9};
  Quaternion attitude = rotation_by({0.1, 0.2, 0.3});
  const Quaternion start = attitude;
  for (int i = 0; i < 500; ++i)
    attitude = rotate_freely(rotor, momentum, 0.3, attitude);
  EXPECT_GT(angle_between(attitude, start), 0.1);
  for (int i = 0; i < 500; ++i)
    attitude = rotate_freely(rotor, momentum, -0.3, attitude);
  EXPECT_LT(angle_between(attitude, start), 1e-11);
}

TEST(RotateFreely, leaves_a_body_at_rest_alone) {
  const Quaternion attitude = rotation_by({0.1, 0.2, 0.3});
  EXPECT_LT(angle_between(rotate_freely({{1, 2, 3}}, Vec3::Zero(), 1, attitude), attitude), 1e-15);
}

// Oracle: each other, and the derivative of a constant rotation.
TEST(Pose, turns_and_rotations_are_inverse) {
  for (const double angle : {0.0, 1e-12, 1e-8, 1e-4, 1.0, 3.0, pi - 1e-9}) {
    const Vec3 turn = angle * Vec3(1, -2, 2) / 3;
    EXPECT_LT((turn_of(rotation_by(turn)) - turn).norm(), 1e-15 + 1e-15 * angle) << angle;
    Quaternion other = rotation_by(turn);
    other.coeffs() = -other.coeffs();
    EXPECT_LT((turn_of(other) - turn).norm(), 1e-15 + 1e-15 * angle) << angle;
  }
  const Pose a{{1, 2, 3}, rotation_by({0.3, 0.2, 0.1})}, b{{-1, 0, 2}, rotation_by({1, 2, 0})};
  const Vec3 p{0.5, 0.6, 0.7};
  EXPECT_LT((transform(compose(a, b), p) - transform(a, transform(b, p))).norm(), 1e-15);
  EXPECT_LT((transform(inverse(a), transform(a, p)) - p).norm(), 1e-15);
}

}  // namespace
}  // namespace sluice::solid
