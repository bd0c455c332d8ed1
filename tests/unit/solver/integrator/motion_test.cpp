// SPDX-License-Identifier: Apache-2.0
// Motion over many steps. Oracles: conservation laws, theory, and convergence orders.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "solver/integrator/symplectic_euler.h"
#include "tests/unit/solver/integrator/motion.h"
#include "tests/unit/solver/integrator/scenes.h"

namespace sluice::integrator {
namespace {

/// Calls body(name, integrator, sheet) for each integrator with a sheet of its own.
template <typename Body>
void for_each_integrator(const Body& body) {
  const Motion start = free_sheet();
  TestStep step;
  step.potentials = start.const_potentials;
  step.rest = start.x;
  for (auto& [name, integrator] : implicit_integrators(step)) {
    Motion motion = free_sheet();
    motion.potentials = start.potentials;  // The integrators are made for these.
    body(name, *integrator, motion);
  }
}

/// Steepest descent lives by differences of energies, which rounding ends at the root of its unit.
bool reaches_rounding(const std::string& name) { return name != "steepest descent"; }

const StoppingRule tight{.relative_residual = 1e-10, .max_iterations = 5000};

TEST(Momentum, is_kept_by_all_that_converge) {
  // Forces between vertices cancel: implicit Euler keeps linear momentum, to what the residual
  // leaves. Angular momentum it does not; its change is h (v' - v) x v m, which is checked for what
  // it is: the torque of the internal forces is 0.
  for_each_integrator([](const std::string& name, Integrator& integrator, Motion& motion) {
    if (!reaches_rounding(name)) return;
    StepDriver driver(motion.potentials, integrator);
    const double scale = 25 * 0.01 * 0.3;  // [kg m/s]
    for (int n = 0; n < 5; ++n) {
      const Motion before{{}, {}, {}, {}, motion.mass, {}, {}, motion.x, motion.v};
      ASSERT_TRUE(driver.advance(0.01, tight, motion.view())) << name;
      // Linear: five steps of a residual 1e-10 of forces of some N, times h.
      EXPECT_LT((motion.momentum() - before.momentum()).norm(), 1e-10 * scale) << name;
      Vec3 torque_impulse = Vec3::Zero();
      for (std::size_t i = 0; i < motion.x.size(); ++i)
        torque_impulse += motion.mass[i] * motion.x[i].cross(motion.v[i] - before.v[i]);
      EXPECT_LT(torque_impulse.norm(), 1e-10 * scale) << name;
    }
  });
}

TEST(Momentum, of_both_kinds_is_kept_to_rounding_by_symplectic_euler) {
  Motion motion = free_sheet();
  SymplecticEuler euler(motion.const_potentials, motion.x.size());
  StepDriver driver(motion.potentials, euler);
  const Vec3 linear = motion.momentum(), angular = motion.angular_momentum();
  for (int n = 0; n < 1000; ++n)
    ASSERT_TRUE(driver.advance(0.002, {}, motion.view()));
  EXPECT_LT((motion.momentum() - linear).norm(), 1e-13 * linear.norm() * 1000);
  EXPECT_LT((motion.angular_momentum() - angular).norm(), 1e-13 * angular.norm() * 1000);
}

TEST(Energy, never_grows_with_implicit_euler) {
  for_each_integrator([](const std::string& name, Integrator& integrator, Motion& motion) {
    StepDriver driver(motion.potentials, integrator);
    double last = motion.total_energy();
    for (int n = 0; n < 20; ++n) {
      const double tolerance = reaches_rounding(name) ? 1e-8 : 1e-5;
      ASSERT_TRUE(driver.advance(0.01, {.relative_residual = tolerance, .max_iterations = 5000},
                                 motion.view()))
          << name;
      EXPECT_LE(motion.total_energy(), last * (1 + 1e-9)) << name << ", step " << n;
      last = motion.total_energy();
    }
  });
}

TEST(Energy, stays_near_its_start_with_symplectic_euler) {
  // A symplectic method's energy swings about its start by O(h) for all times. [Hairer2006] IX.8
  Motion motion = free_sheet();
  SymplecticEuler euler(motion.const_potentials, motion.x.size());
  StepDriver driver(motion.potentials, euler);
  const double start = motion.total_energy();
  for (int n = 0; n < 5000; ++n) {
    ASSERT_TRUE(driver.advance(0.001, {}, motion.view()));
    EXPECT_NEAR(motion.total_energy(), start, 0.05 * start);
  }
}

TEST(Theory, a_spring_chain_swings_at_its_frequency_and_the_error_is_of_first_order) {
  // omega_1 = 2 sqrt(k / m) sin(pi / (2 (2 n + 1))); after half a period the chain stands still on
  // the other side.
  constexpr int n = 8;
  const double k = 100, m = 0.02;
  const double omega = 2 * std::sqrt(k / m) * std::sin(std::numbers::pi / (2 * (2 * n + 1)));
  const double half_period = std::numbers::pi / omega;
  std::vector<double> errors;
  for (const int steps : {50, 100, 200, 400}) {
    Motion motion = chain(n, k, m);
    ProjectedNewton newton(motion.const_potentials, motion.x.size());
    StepDriver driver(motion.potentials, newton);
    for (int s = 0; s < steps; ++s)
      ASSERT_TRUE(driver.advance(half_period / steps, tight, motion.view()));
    double squares = 0;
    const Motion start = chain(n, k, m);
    for (std::size_t i = 1; i < motion.x.size(); ++i) {
      const Vec3 rest(0.1 * static_cast<double>(i), 0, 0);
      squares += ((motion.x[i] - rest) + (start.x[i] - rest)).squaredNorm();
    }
    errors.push_back(std::sqrt(squares));
  }
  for (std::size_t e = 1; e < errors.size(); ++e)
    EXPECT_NEAR(std::log2(errors[e - 1] / errors[e]), 1, 0.1);
  // Implicit Euler damps by h omega / 2 a radian: of a swing whose squares sum to 1e-6 (2 n + 1) /
  // 4, a part (pi / 400) pi / 2 is lost.
  EXPECT_NEAR(errors.back(),
              1e-3 * std::sqrt((2 * n + 1) / 4.0) * std::pow(std::numbers::pi, 2) / 800,
              0.05 * errors.back());
}

/// Seconds until a mass on a stiff massless rod of 1 m, let go at rest `degrees` from hanging,
/// has swung once to and fro, by interpolated crossings of the lowest point.
double pendulum_period(double degrees, double h) {
  Motion motion;
  const std::vector<solid::Spring> springs{{0, 1, 1e6, 1, solid::SpringKind::structural}};
  motion.add(std::make_unique<solid::SpringPotential>(springs));
  const double angle = degrees * std::numbers::pi / 180;
  motion.x = {Vec3::Zero(), Vec3(std::sin(angle), 0, -std::cos(angle))};
  motion.v.assign(2, Vec3::Zero());
  motion.mass = {1, 1};
  motion.is_held = {1, 0};
  motion.accelerations.assign(2, Vec3(0, 0, -9.81));
  motion.bodies = {{"pendulum", 0, 2}};
  SymplecticEuler euler(motion.const_potentials, 2);
  StepDriver driver(motion.potentials, euler);
  std::vector<double> crossings;
  for (int n = 1; crossings.size() < 3; ++n) {
    const double before = motion.x[1].x();
    if (!driver.advance(h, {}, motion.view()) || n * h > 10) return -1;
    const double after = motion.x[1].x();
    if ((before > 0) != (after > 0)) crossings.push_back(h * (n - after / (after - before)));
  }
  return crossings[2] - crossings[0];
}

TEST(Theory, a_stiff_spring_pendulum_has_the_period_of_elliptic_integrals) {
  // Periods [s] of a pendulum of 1 m, g = 9.81, by elliptic integrals (AGM). The spring's stretch,
  // m g / k = 1e-5 m at most a few times, and steps of 5e-4 s leave 1e-5 of them.
  EXPECT_NEAR(pendulum_period(1, 5e-4), 2.006104874, 1e-4);
  EXPECT_NEAR(pendulum_period(10, 5e-4), 2.009892627, 1e-4);
  EXPECT_NEAR(pendulum_period(30, 5e-4), 2.040989890, 1e-4);
}

TEST(StepDriver, halves_a_step_that_is_too_long_and_comes_out_at_the_same_time) {
  Motion motion = free_sheet();
  SymplecticEuler euler(motion.const_potentials, motion.x.size());
  StepDriver driver(motion.potentials, euler);
  const auto long_step = driver.advance(0.05, {}, motion.view());
  ASSERT_TRUE(long_step);
  EXPECT_GT(long_step.value().failed_count, 0);
  EXPECT_GT(long_step.value().step_count, 1);
  Motion fine = free_sheet();
  StepDriver fine_driver(fine.potentials, euler);
  for (int n = 0; n < 64; ++n)
    ASSERT_TRUE(fine_driver.advance(0.05 / 64, {}, fine.view()));
  // First order in steps of 0.05 / 4: a few per cent of the way of 0.3 m/s.
  EXPECT_LT(largest_difference(motion.x, fine.x), 0.2 * 0.3 * 0.05);
}

TEST(StepDriver, names_the_body_and_the_cause_and_leaves_the_bodies) {
  Motion motion = free_sheet();
  motion.bodies = {{"left", 0, 12}, {"right", 12, 13}};
  motion.v[20] = Vec3(1e200, 0, 0);
  ProjectedNewton newton(motion.const_potentials, motion.x.size());
  StepDriver driver(motion.potentials, newton);
  const auto x = motion.x, v = motion.v;
  const auto failed = driver.advance(0.01, {}, motion.view());
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::solver_diverged);
  EXPECT_NE(failed.error().message.find("\"right\""), std::string::npos) << failed.error().message;
  EXPECT_EQ(motion.x, x);
  EXPECT_EQ(motion.v, v);
}

}  // namespace
}  // namespace sluice::integrator
