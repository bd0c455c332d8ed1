// SPDX-License-Identifier: Apache-2.0
// For every kind of energy and every integrator, 100 random scenes that nobody should simulate.
// Oracle: every number is finite afterwards, or the step failed and says so, and the bodies are as
// they were.
#include <gtest/gtest.h>

#include <cmath>

#include "solver/integrator/step_driver.h"
#include "solver/integrator/symplectic_euler.h"
#include "tests/unit/solver/integrator/bodies.h"

namespace sluice::integrator {
namespace {

struct Scene {
  double h;  ///< [s]
  std::vector<double> mass;
  std::vector<Vec3> x, v;
};

/// The body pulled to ten times its length, squashed to a plane, with its vertices strewn about or
/// all at one point; with speeds up to 1,000 m/s, from grams to kilograms, and steps from 0.1 ms to
/// 0.1 s.
Scene random_scene(const std::vector<Vec3>& rest, unsigned seed) {
  std::mt19937 random(seed);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const auto anywhere = [&] { return Vec3(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)); };
  Scene scene{std::pow(10, uniform(-4, -1)),
              std::vector<double>(rest.size(), std::pow(10, uniform(-4, 0))),
              rest,
              {}};
  for (Vec3& p : scene.x) {
    if (seed % 4 == 0) p.x() *= 10;
    if (seed % 4 == 1) p.z() = 0;
    if (seed % 4 == 2) p = anywhere();
    if (seed % 4 == 3) p = Vec3::Zero();
    scene.v.push_back(std::pow(10, uniform(-2, 3)) * anywhere());
  }
  scene.v[0].setZero();
  return scene;
}

class StressTest : public testing::TestWithParam<BodyKind> {};

TEST_P(StressTest, is_finite_or_fails_cleanly) {
  const TestStep step = make_body(GetParam());
  std::vector<solid::Potential*> potentials;
  potentials.reserve(step.owned.size());
  for (const auto& potential : step.owned)
    potentials.push_back(potential.get());
  std::vector<std::uint8_t> is_held(step.rest.size(), 0);
  is_held[0] = 1;
  const std::vector<BodyRange> bodies{{"body", 0, step.rest.size()}};
  auto all = implicit_integrators(step);
  all.push_back(
      {"symplectic Euler", std::make_unique<SymplecticEuler>(step.potentials, step.rest.size())});
  for (unsigned seed = 0; seed < 100; ++seed) {
    const Scene scene = random_scene(step.rest, seed);
    for (auto& [name, integrator] : all) {
      SCOPED_TRACE(testing::Message() << name << ", scene " << seed);
      auto x = scene.x, v = scene.v;
      StepDriver driver(potentials, *integrator);
      const auto result = driver.advance(scene.h, {.relative_residual = 1e-3, .max_iterations = 10},
                                         {bodies, scene.mass, is_held, {}, x, v});
      if (!result) {
        EXPECT_NE(result.error().message.find("\"body\""), std::string::npos);
        EXPECT_EQ(x, scene.x);
        EXPECT_EQ(v, scene.v);
      }
      for (std::size_t i = 0; i < x.size(); ++i)
        EXPECT_TRUE(x[i].allFinite() && v[i].allFinite()) << "vertex " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Bodies, StressTest, testing::ValuesIn(all_body_kinds),
                         [](const auto& kind) { return name_of(kind.param); });

}  // namespace
}  // namespace sluice::integrator
