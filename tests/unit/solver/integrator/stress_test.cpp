// SPDX-License-Identifier: Apache-2.0
// 100 random scenes that nobody should simulate. Oracle: every number is finite afterwards, or the
// step failed and says so, and the bodies are as they were.
#include <gtest/gtest.h>

#include <cmath>

#include "solver/integrator/step_driver.h"
#include "solver/integrator/symplectic_euler.h"
#include "tests/unit/solver/integrator/scenes.h"

namespace sluice::integrator {
namespace {

class StressTest : public testing::TestWithParam<unsigned> {};

TEST_P(StressTest, is_finite_or_fails_cleanly) {
  std::mt19937 random(GetParam());
  const auto pick = [&](unsigned count) { return static_cast<unsigned>(random() % count); };
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  constexpr solid::IsotropicModel models[]{
      solid::IsotropicModel::st_venant_kirchhoff, solid::IsotropicModel::neo_hookean,
      solid::IsotropicModel::stable_neo_hookean, solid::IsotropicModel::fixed_corotated};
  TestStep step =
      pick(2) == 0 ? spring_sheet(5, 1, GetParam()) : tet_bar(4, models[pick(4)], 1, GetParam());
  const double h = std::pow(10, uniform(-4, -1));
  std::vector<Vec3> x = step.rest;
  const unsigned distortion = pick(4);
  for (Vec3& p : x) {
    if (distortion == 0) p.x() *= 10;
    if (distortion == 1) p.z() = 0;
    if (distortion == 2) p = Vec3(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1));
    if (distortion == 3) p = Vec3::Zero();
  }
  std::vector<Vec3> v;
  v.reserve(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    v.push_back(std::pow(10, uniform(-2, 3)) *
                Vec3(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)));
  std::vector<std::uint8_t> is_held(x.size(), 0);
  is_held[0] = 1;
  v[0].setZero();
  const std::vector<double> mass(x.size(), std::pow(10, uniform(-4, 0)));
  const std::vector<BodyRange> bodies{{"body", 0, x.size()}};

  std::vector<solid::Potential*> potentials;
  potentials.reserve(step.owned.size());
  for (const auto& potential : step.owned)
    potentials.push_back(potential.get());
  auto all = implicit_integrators(step);
  all.push_back(
      {"symplectic Euler", std::make_unique<SymplecticEuler>(step.potentials, step.rest.size())});
  for (auto& [name, integrator] : all) {
    auto x_1 = x, v_1 = v;
    StepDriver driver(potentials, *integrator);
    const auto result = driver.advance(h, {.relative_residual = 1e-3, .max_iterations = 30},
                                       {bodies, mass, is_held, {}, x_1, v_1});
    if (!result) {
      EXPECT_NE(result.error().message.find("\"body\""), std::string::npos) << name;
      EXPECT_EQ(x_1, x) << name;
      EXPECT_EQ(v_1, v) << name;
    }
    for (std::size_t i = 0; i < x.size(); ++i)
      EXPECT_TRUE(x_1[i].allFinite() && v_1[i].allFinite()) << name << ", vertex " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(seeds, StressTest, testing::Range(0U, 100U));

}  // namespace
}  // namespace sluice::integrator
