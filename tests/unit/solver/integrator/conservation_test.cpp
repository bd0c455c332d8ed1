// SPDX-License-Identifier: Apache-2.0
// What motion keeps or loses, for every integrator and kind of energy, from random states. Oracles:
// Newton's third law; implicit Euler's dissipation of energy.
#include <gtest/gtest.h>

#include <cmath>

#include "solver/integrator/step_driver.h"
#include "solver/integrator/symplectic_euler.h"
#include "tests/unit/solver/integrator/bodies.h"

namespace sluice::integrator {
namespace {

/// A body of vertices of 5 to 20 g with random speeds of some m/s, each up to 1 cm from its place.
struct RandomState {
  double h;  ///< [s] from 1 to 30 ms
  std::vector<double> mass;
  std::vector<std::uint8_t> is_held;
  std::vector<Vec3> accelerations, x, v;

  RandomState(const std::vector<Vec3>& rest, unsigned seed) : is_held(rest.size(), 0) {
    std::mt19937 random(seed);
    const auto uniform = [&](double low, double high) {
      return std::uniform_real_distribution<double>(low, high)(random);
    };
    const auto anywhere = [&] { return Vec3(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)); };
    h = std::pow(10, uniform(-3, -1.5));
    for (const Vec3& p : rest) {
      mass.push_back(uniform(0.005, 0.02));
      x.push_back(p + 0.01 * anywhere());
      v.push_back(anywhere());
    }
  }

  [[nodiscard]] double kinetic_energy() const {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      sum += is_held[i] != 0 ? 0 : 0.5 * mass[i] * v[i].squaredNorm();
    return sum;
  }
  [[nodiscard]] double gravity_energy() const {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      sum -= is_held[i] != 0 ? 0 : mass[i] * accelerations[i].dot(x[i]);
    return sum;
  }
  [[nodiscard]] Vec3 momentum() const {
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 0; i < x.size(); ++i)
      sum += mass[i] * v[i];
    return sum;
  }
};

/// [J] Of what stores energy: the dampers' is what a step loses.
double elastic_energy(const TestStep& body, BodyKind kind, const std::vector<Vec3>& x) {
  double sum = 0;
  for (const auto& potential : body.owned)
    sum +=
        kind == BodyKind::damped_tets && potential != body.owned.front() ? 0 : potential->energy(x);
  return sum;
}

std::vector<solid::Potential*> potentials_of(const TestStep& body) {
  std::vector<solid::Potential*> potentials;
  potentials.reserve(body.owned.size());
  for (const auto& potential : body.owned)
    potentials.push_back(potential.get());
  return potentials;
}

class Conservation : public testing::TestWithParam<BodyKind> {};

TEST_P(Conservation, energy_never_grows_with_implicit_euler) {
  // Nothing is allowed for rounding: each step loses some. With gravity; the second body is held at
  // a vertex.
  const TestStep body = make_body(GetParam());
  const std::vector<BodyRange> bodies{{"body", 0, body.rest.size()}};
  for (auto& [name, integrator] : implicit_integrators(body)) {
    for (unsigned seed = 0; seed < 2; ++seed) {
      RandomState state(body.rest, seed);
      if (seed == 1) {
        state.is_held[0] = 1;
        state.v[0].setZero();
      }
      state.accelerations.assign(body.rest.size(), Vec3(0, 0, -9.81));
      StepDriver driver(potentials_of(body), *integrator);
      const auto total_energy = [&] {
        return state.kinetic_energy() + state.gravity_energy() +
               elastic_energy(body, GetParam(), state.x);
      };
      double last = total_energy();
      for (int n = 0; n < 5; ++n) {
        const auto report = driver.advance(
            state.h, {.relative_residual = 1e-4, .max_iterations = 20'000},
            {bodies, state.mass, state.is_held, state.accelerations, state.x, state.v});
        ASSERT_TRUE(report) << name << ", state " << seed << ": " << report.error().message;
        EXPECT_LT(total_energy(), last) << name << ", state " << seed << ", step " << n;
        last = total_energy();
      }
    }
  }
}

TEST_P(Conservation, momentum_is_kept_to_rounding_by_all_and_at_any_residual) {
  const TestStep body = make_body(GetParam());
  const std::vector<BodyRange> bodies{{"body", 0, body.rest.size()}};
  auto all = implicit_integrators(body);
  all.push_back(
      {"symplectic Euler", std::make_unique<SymplecticEuler>(body.potentials, body.rest.size())});
  for (auto& [name, integrator] : all) {
    for (unsigned seed = 0; seed < 4; ++seed) {
      RandomState state(body.rest, seed);
      StepDriver driver(potentials_of(body), *integrator);
      const Vec3 start = state.momentum();
      for (int n = 0; n < 5; ++n) {
        // The explicit one is not stable for long steps.
        const double h = name == "symplectic Euler" ? state.h / 20 : state.h;
        const auto report = driver.advance(
            h, {.relative_residual = 1e-2, .max_iterations = 20'000},
            {bodies, state.mass, state.is_held, state.accelerations, state.x, state.v});
        ASSERT_TRUE(report) << name << ", state " << seed << ": " << report.error().message;
      }
      // Velocities are differences of places of some 0.3 m over a part of a millisecond.
      EXPECT_LT((state.momentum() - start).norm(), 1e-12) << name << ", state " << seed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Bodies, Conservation, testing::ValuesIn(all_body_kinds),
                         [](const auto& kind) { return name_of(kind.param); });

}  // namespace
}  // namespace sluice::integrator
