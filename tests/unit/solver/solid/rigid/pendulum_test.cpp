// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <numbers>

#include "solver/solid/rigid/rigid_body.h"

namespace sluice::solid {
namespace {

using std::numbers::pi;
constexpr double g = 9.81;

// Periods over that of small swings, 2 K(sin(a/2)) / pi, by the arithmetic-geometric mean.
struct Swing {
  double amplitude_degrees, period_ratio;
};
constexpr std::array<Swing, 8> swings{{{1, 1.000019039},
                                       {10, 1.001907188},
                                       {30, 1.017408798},
                                       {60, 1.073182007},
                                       {90, 1.180340599},
                                       {120, 1.372880501},
                                       {150, 1.762203730},
                                       {170, 2.439362720}}};

// A box 0.4 x 0.2 x 1 m that hangs from a point on its long axis, 0.3 m above the centre, and
// swings about its 0.2 m axis, which points somewhere in the horizontal plane.
const geometry::Box box{{0.2, 0.1, 0.5}};
constexpr double arm = 0.3, mass = 7;
const double moment_at_pivot = mass * ((0.4 * 0.4 + 1) / 12 + arm * arm);
const double small_period = 2 * pi * std::sqrt(moment_at_pivot / (mass * g * arm));
const Vec3 hinge{0.6, 0.8, 0};  // World; the body's y axis.

Quaternion hanging() {
  const Vec3 x = hinge.cross(Vec3::UnitZ());
  Mat3 axes;
  axes << x, hinge, Vec3::UnitZ();
  return Quaternion(axes);
}

// The mean period over two swings: `step` moves on by h, `angle` is that of the swing.
double measure_period(double h, const std::function<double()>& angle,
                      const std::function<void()>& step) {
  double before = angle(), first = -1;
  int crossing_count = 0;
  for (int i = 1;; ++i) {
    step();
    const double now = angle();
    if ((before > 0) != (now > 0)) {
      // The turn is at full speed there: straight to h^2 of the swing's third derivative.
      const double time = (i - now / (now - before)) * h;
      if (crossing_count == 0) first = time;
      if (++crossing_count == 5) return (time - first) / 2;
    }
    before = now;
  }
}

// Turns about the pivot itself: moments about it, and gravity's torque.
double pivot_period(double amplitude, double h) {
  const auto properties = mass_properties(geometry::Shape{box}, mass / 0.08);
  EXPECT_TRUE(properties);
  const Mat3& inertia = properties.value().inertia;
  // Steiner, along the long axis: still diagonal.
  const Vec3 moments = inertia.diagonal() + mass * arm * arm * Vec3(1, 1, 0);
  const Rotor rotor{moments};
  Quaternion attitude = rotation_by(amplitude * hinge) * hanging();
  Vec3 momentum = Vec3::Zero();
  const auto centre = [&] { return Vec3(attitude * Vec3(0, 0, -arm)); };
  const auto kick = [&] { momentum += 0.5 * h * centre().cross(Vec3(0, 0, -mass * g)); };
  const Vec3 side = (rotation_by(pi / 2 * hinge) * hanging()) * Vec3(0, 0, -1);
  return measure_period(
      h, [&] { return std::atan2(centre().dot(side), -centre().z()); },
      [&] {
        kick();
        attitude = rotate_freely(rotor, momentum, h, attitude);
        kick();
      });
}

// Oracle: the elliptic integral. 2000 steps a period of small swings.
TEST(Pendulum, about_a_pivot_has_the_periods_of_theory) {
  for (const Swing& swing : swings) {
    const double period = pivot_period(swing.amplitude_degrees * pi / 180, small_period / 2000);
    // The error of second order: some (2 pi / 2000)^2, and more where it stands nearly upright.
    EXPECT_NEAR(period / small_period, swing.period_ratio, 1e-5) << swing.amplitude_degrees;
  }
}

TEST(Pendulum, errs_by_second_order) {
  const auto error_at = [](double steps) {
    return std::abs(pivot_period(pi / 2, small_period / steps) / small_period - 1.180340599);
  };
  const double coarse = error_at(50), fine = error_at(100);
  EXPECT_LT(fine, 2e-3);
  EXPECT_NEAR(coarse / fine, 4, 0.6);
}

// The body as it moves through the world, held at the pivot by a stiff spring.
TEST(Pendulum, on_a_stiff_spring_has_the_periods_of_theory) {
  const auto properties = mass_properties(geometry::Shape{box}, mass / 0.08);
  ASSERT_TRUE(properties);
  const RigidBody body = make_rigid_body(properties.value());
  const Vec3 pivot_in_mesh{0, 0, arm};
  const double stiffness = 1e7;  // [N/m] Stretched 7e-6 m by the weight: periods to some 1e-5.
  const double h = 1e-4;         // [s] The spring's own period is some 4e-3 s.
  for (const Swing& swing : {swings[2], swings[4], swings[6]}) {
    const Quaternion start = rotation_by(swing.amplitude_degrees * pi / 180 * hinge) * hanging();
    RigidState state =
        make_rigid_state(body, {-(start * pivot_in_mesh), start}, Vec3::Zero(), Vec3::Zero());
    const auto kick = [&] {
      const Vec3 held = transform(world_from_mesh(body, state), pivot_in_mesh);
      Wrench impulse = wrench_at(state, -0.5 * h * stiffness * held, held);
      impulse.force += 0.5 * h * body.mass * Vec3(0, 0, -g);
      apply_impulse(body, impulse, state);
    };
    const Vec3 side = (rotation_by(pi / 2 * hinge) * hanging()) * Vec3(0, 0, -1);
    const double period = measure_period(
        h,
        [&] {
          const Vec3& centre = state.world_from_body.translation;
          return std::atan2(centre.dot(side), -centre.z());
        },
        [&] {
          kick();
          move_freely(body, h, state);
          kick();
        });
    EXPECT_NEAR(period / small_period, swing.period_ratio, 3e-4) << swing.amplitude_degrees;
  }
}

}  // namespace
}  // namespace sluice::solid
