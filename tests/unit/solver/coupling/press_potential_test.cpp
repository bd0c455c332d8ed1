// SPDX-License-Identifier: Apache-2.0
// Presses and the points that carry rigid bodies. Oracles: central differences; weight, and
// Coulomb's law, on a point on a plane; the motion of a rigid body under a force.
#include "solver/coupling/press_potential.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "solver/integrator/projected_newton.h"

namespace sluice::coupling::press_potential_test {
namespace {

/// Two points over an edge, pressed, the first with friction that sticks, the second with friction
/// that slides.
struct Example {
  std::vector<Vec3> x{{0.1, 0.2, 0.31}, {0, 0, 0.3}, {1, 0.1, 0.32}, {0.4, 0.1, 0.3}};
  std::vector<Press> presses;

  Example() {
    for (const double coefficient : {3.0, 0.05}) {
      Press press;
      press.points = {0, 1, 2, 3};
      press.weights = {1, -0.25, -0.35, -0.4};
      press.point_count = 4;
      press.normal = Vec3(0.6, 0, 0.8);
      press.wanted = 0.1;
      press.start = press.place(x) + Vec3(0.004, 0.003, 0.002);
      press.stiffness = 40;
      press.slip_stiffness = 25;
      press.coefficient = coefficient;
      press.lambda = 2;
      press.friction = Vec3(0.08, 0.1, -0.06);
      presses.push_back(press);
    }
  }
};

TEST(PressPotential, has_the_gradient_of_its_energy_and_the_hessian_of_its_gradient) {
  Example example;
  const PressPotential potential(example.presses);
  std::vector<Vec3>& x = example.x;
  std::vector<double> hessians(18);
  potential.hessians(0, 2, x, solid::HessianForm::exact, hessians);
  const auto gradient_at = [&](std::span<const Vec3> at) {
    std::vector<Vec3> gradient(4, Vec3::Zero());
    potential.add_gradient(at, gradient);
    return gradient;
  };
  const std::vector<Vec3> gradient = gradient_at(x);
  const Mat3 H = Eigen::Map<const Mat3>(hessians.data()) + Eigen::Map<const Mat3>(&hessians[9]);
  constexpr double eps = 1e-6;
  for (std::size_t i = 0; i < 4; ++i) {
    const double weight = example.presses[0].weights[i];
    for (Eigen::Index axis = 0; axis < 3; ++axis) {
      const double place = x[i][axis];
      x[i][axis] = place + eps;
      const double energy_after = potential.energy(x);
      const Vec3 after = gradient_at(x)[0];
      x[i][axis] = place - eps;
      EXPECT_NEAR(gradient[i][axis], (energy_after - potential.energy(x)) / (2 * eps), 1e-7);
      EXPECT_LE(((after - gradient_at(x)[0]) / (2 * eps) - weight * H.col(axis)).norm(), 1e-5);
      x[i][axis] = place;
    }
  }
  EXPECT_GT(force_of(example.presses[0], example.presses[0].place(x)).norm(), 1);
}

TEST(PressPotential, takes_local_steps_to_the_minimum) {
  const Example example;
  const PressPotential potential(example.presses);
  constexpr double scale = 0.3;
  for (std::size_t e = 0; e < 2; ++e) {
    const Press& press = example.presses[e];
    const Vec3 p = press.place(example.x);
    Vec3 z;
    potential.local_step(e, e + 1, std::span(p.data(), 3), scale, std::span(z.data(), 3));
    const Vec3 pull = scale * press.stiffness * (z - p);
    EXPECT_GT(pull.norm(), 0.1);
    EXPECT_LE((force_of(press, z) - pull).norm(), 1e-12);
  }
}

// A point of 0.3 kg is pushed along a plane by less than friction, then by more.
TEST(PressPotential, finds_weight_and_coulombs_law_by_taking_forces) {
  constexpr double inertia = 5000, weight = 3, coefficient = 0.5;
  for (const double push : {1.0, 4.0}) {
    Press press;
    press.weights[0] = 1;
    press.point_count = 1;
    press.normal = Vec3::UnitZ();
    press.coefficient = coefficient;
    press.stiffness = press.slip_stiffness = 10 * inertia;
    const std::vector<double> inertias{inertia};
    const std::vector<Vec3> targets{Vec3(push / inertia, 0, -weight / inertia)};
    std::vector<Vec3> x{Vec3::Zero()};
    for (int round = 0; round < 12; ++round) {
      const PressPotential potential({press});
      const std::vector<const solid::Potential*> potentials{&potential};
      integrator::ProjectedNewton newton(potentials, 1);
      x[0].setZero();
      ASSERT_TRUE(newton
                      .step({inertias, targets, {}, potentials},
                            {.relative_residual = 1e-12, .force_scale = weight}, x)
                      .is_converged());
      const Vec3 force = force_of(press, x[0]);
      press.lambda = force.z();
      press.friction = force - force.z() * Vec3::UnitZ();
    }
    EXPECT_NEAR(press.lambda, weight, 1e-9);
    EXPECT_NEAR(x[0].z(), 0, 1e-12);
    const double friction = std::min(push, coefficient * weight);
    EXPECT_NEAR(press.friction.x(), -friction, 1e-9);
    EXPECT_NEAR(x[0].x(), (push - friction) / inertia, 1e-12);
  }
}

}  // namespace
}  // namespace sluice::coupling::press_potential_test
