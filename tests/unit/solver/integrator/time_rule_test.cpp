// SPDX-License-Identifier: Apache-2.0
// Rules in time. Oracles: the rational function by which a rule multiplies a linear motion; the
// parabola of free fall; theory of a chain.
#include "solver/integrator/time_rule.h"

#include <gtest/gtest.h>

#include <complex>

#include "solver/integrator/projected_newton.h"
#include "tests/unit/solver/integrator/motion.h"

namespace sluice::integrator {
namespace {

const StoppingRule tight{.relative_residual = 1e-12, .max_iterations = 100};

/// The number x - i v / w of a mass on a spring, which swings at w, after a step by `rule`; it is 1
/// before the step. `angle` is h w.
std::complex<double> multiplier(TimeRule rule, double angle) {
  constexpr double k = 100, m = 0.25, w = 20, amplitude = 1e-3;
  Motion motion;
  motion.add(std::make_unique<solid::SpringPotential>(
      std::vector<solid::Spring>{{0, 1, k, 1, solid::SpringKind::structural}}));
  motion.x = {Vec3::Zero(), Vec3(1 + amplitude, 0, 0)};
  motion.v.assign(2, Vec3::Zero());
  motion.mass.assign(2, m);
  motion.is_held = {1, 0};
  motion.bodies = {{"mass", 0, 2}};
  ProjectedNewton newton(motion.const_potentials, 2);
  StepDriver driver(motion.potentials, newton, rule);
  EXPECT_TRUE(driver.advance(angle / w, tight, motion.view()));
  return {(motion.x[1].x() - 1) / amplitude, -motion.v[1].x() / w / amplitude};
}

TEST(TimeRule, multiplies_a_swing_by_its_rational_function) {
  using namespace std::complex_literals;
  constexpr double g = stage_share;
  for (const double angle : {0.01, 0.1, 1.0, 10.0, 1e4}) {
    const std::complex<double> z = 1.0i * angle;
    EXPECT_LT(std::abs(multiplier(TimeRule::implicit_euler, angle) - 1.0 / (1.0 - z)), 1e-9);
    EXPECT_LT(std::abs(multiplier(TimeRule::alexander, angle) -
                       (1.0 + (1 - 2 * g) * z) / ((1.0 - g * z) * (1.0 - g * z))),
              1e-9);
  }
}

TEST(TimeRule, loses_what_its_comment_says) {
  const double angle = 0.1;
  const auto euler = multiplier(TimeRule::implicit_euler, angle);
  EXPECT_NEAR((1 - std::abs(euler)) / angle, angle / 2, 0.02 * angle / 2);
  const auto alexander = multiplier(TimeRule::alexander, angle);
  EXPECT_NEAR((1 - std::abs(alexander)) / angle, 0.0037 * std::pow(angle, 3), 4e-8);
  EXPECT_NEAR(1 - std::arg(alexander) / angle, 0.040 * angle * angle, 1e-5);
  // L-stability: what a step does not resolve is gone.
  EXPECT_LT(std::abs(multiplier(TimeRule::alexander, 1e6)), 1e-5);
}

TEST(TimeRule, alexander_is_of_second_order_on_a_chain) {
  constexpr int n = 8;
  const double k = 100, m = 0.02;
  const double omega = 2 * std::sqrt(k / m) * std::sin(std::numbers::pi / (2 * (2 * n + 1)));
  const double period = 2 * std::numbers::pi / omega;
  std::vector<double> errors;
  for (const int steps : {20, 40, 80}) {
    Motion motion = chain(n, k, m);
    const std::vector<Vec3> start = motion.x;
    ProjectedNewton newton(motion.const_potentials, motion.x.size());
    StepDriver driver(motion.potentials, newton, TimeRule::alexander);
    for (int s = 0; s < steps; ++s)
      ASSERT_TRUE(driver.advance(period / steps, tight, motion.view()));
    // After a period the chain is back, as fast as the late swing: by 2 pi 0.040 (h w)^2 radians.
    double squares = 0;
    for (std::size_t i = 0; i < motion.x.size(); ++i)
      squares += motion.v[i].squaredNorm() / (omega * omega);
    errors.push_back(std::sqrt(squares));
  }
  for (std::size_t e = 1; e < errors.size(); ++e)
    EXPECT_NEAR(std::log2(errors[e - 1] / errors[e]), 2, 0.03);
  const double late = 2 * std::numbers::pi * 0.0404 * std::pow(2 * std::numbers::pi / 80, 2);
  EXPECT_NEAR(errors.back(), 1e-3 * std::sqrt((2 * n + 1) / 4.0) * late, 0.02 * errors.back());
}

/// Where a mass on a string of 1 m that hardly stretches is after a period [m], let go at rest 60
/// degrees from hanging: it would be where it was, by elliptic integrals.
double pendulum_error(TimeRule rule, int steps) {
  Motion motion;
  motion.add(std::make_unique<solid::SpringPotential>(
      std::vector<solid::Spring>{{0, 1, 1e8, 1, solid::SpringKind::structural}}));
  const Vec3 start(std::sqrt(0.75), 0, -0.5);
  motion.x = {Vec3::Zero(), start};
  motion.v.assign(2, Vec3::Zero());
  motion.mass = {1, 1};
  motion.is_held = {1, 0};
  motion.accelerations.assign(2, Vec3(0, 0, -9.81));
  motion.bodies = {{"pendulum", 0, 2}};
  ProjectedNewton newton(motion.const_potentials, 2);
  StepDriver driver(motion.potentials, newton, rule);
  for (int n = 0; n < steps; ++n)
    EXPECT_TRUE(driver.advance(2.152874667 / steps, {.relative_residual = 1e-9}, motion.view()));
  const double speed = motion.v[1].norm() * 2.152874667 / (2 * std::numbers::pi);
  return std::hypot((motion.x[1] - start).norm(), speed);
}

TEST(TimeRule, alexander_is_of_first_order_on_a_stiff_pendulum_but_ahead) {
  const double coarse = pendulum_error(TimeRule::alexander, 200);
  const double fine = pendulum_error(TimeRule::alexander, 400);
  EXPECT_NEAR(std::log2(coarse / fine), 1, 0.2);
  EXPECT_LT(fine, 0.3 * pendulum_error(TimeRule::implicit_euler, 400));
}

TEST(TimeRule, alexander_falls_along_the_parabola_and_keeps_momentum) {
  Motion motion = free_sheet();
  const Vec3 g(0, 0, -9.81), start = motion.momentum();
  Vec3 center = Vec3::Zero();
  for (const Vec3& x : motion.x)
    center += x / 25;
  motion.accelerations.assign(25, g);
  ProjectedNewton newton(motion.const_potentials, 25);
  StepDriver driver(motion.potentials, newton, TimeRule::alexander);
  for (int n = 0; n < 20; ++n)
    ASSERT_TRUE(driver.advance(0.01, tight, motion.view()));
  const double mass = 0.25, t = 0.2;
  EXPECT_LT((motion.momentum() - start - mass * t * g).norm(), 1e-10 * mass);
  Vec3 now = Vec3::Zero();
  for (const Vec3& x : motion.x)
    now += x / 25;
  EXPECT_LT((now - center - t * start / mass - t * t / 2 * g).norm(), 1e-10);
}

TEST(TimeRule, alexander_moves_held_vertices_at_their_velocity) {
  Motion motion = chain(3, 100, 0.02);
  motion.v[0] = Vec3(0.3, 0.1, 0);
  const Vec3 start = motion.x[0];
  ProjectedNewton newton(motion.const_potentials, motion.x.size());
  StepDriver driver(motion.potentials, newton, TimeRule::alexander);
  for (int n = 0; n < 10; ++n)
    ASSERT_TRUE(driver.advance(0.01, tight, motion.view()));
  EXPECT_LT((motion.x[0] - start - 0.1 * Vec3(0.3, 0.1, 0)).norm(), 1e-15);
  EXPECT_EQ(motion.v[0], Vec3(0.3, 0.1, 0));
}

TEST(TimeRule, alexander_cuts_a_step_whose_second_stage_fails) {
  // An integrator that gives up at its second call: the step is cut in two, and all arrive where
  // two steps of half the length do, bit for bit.
  class FailsOnce final : public Integrator {
   public:
    explicit FailsOnce(Integrator& inner) : inner_(inner) {}
    StepReport step(const StepProblem& problem, const StoppingRule& rule,
                    std::span<Vec3> x) override {
      StepReport report = inner_.step(problem, rule, x);
      if (++calls_ == 2) report.status = StepStatus::no_descent;
      return report;
    }

   private:
    Integrator& inner_;
    int calls_ = 0;
  };
  Motion cut = free_sheet();
  ProjectedNewton newton(cut.const_potentials, 25);
  FailsOnce fails_once(newton);
  const auto report =
      StepDriver(cut.potentials, fails_once, TimeRule::alexander).advance(0.01, tight, cut.view());
  ASSERT_TRUE(report);
  EXPECT_EQ(report.value().failed_count, 1);
  EXPECT_EQ(report.value().step_count, 2);
  Motion halves = free_sheet();
  StepDriver driver(cut.potentials, newton, TimeRule::alexander);
  for (int n = 0; n < 2; ++n)
    ASSERT_TRUE(driver.advance(0.005, tight, halves.view()));
  EXPECT_EQ(cut.x, halves.x);
  EXPECT_EQ(cut.v, halves.v);
}

}  // namespace
}  // namespace sluice::integrator
