// SPDX-License-Identifier: Apache-2.0
// Drops just above a pool. Where what is next to the surface moves with the liquid, a drop must not
// hang in the air over it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <tuple>

#include "solver/fluid/liquid/grid_fluid.h"
#include "tests/unit/solver/fluid/scenes.h"

namespace sluice::fluid::grid::drop_on_pool_test {
namespace {

constexpr double cell = 0.02, depth = 0.2, seconds = 3, swaying = 1;

// Its viscosity [Pa s], the gap [cells] between it and the pool, its radius [cells].
class DropOnPool : public testing::TestWithParam<std::tuple<double, double, double>> {};

TEST_P(DropOnPool, falls_in) {
  const auto [viscosity, gap, radius] = GetParam();
  scene::Scene scene = test::tank({0.4, 0.1, 0.4}, cell, test::box({-1, -1, -1}, {1, 1, depth}));
  scene.grid.dimensions = 2;
  scene.grid.solver = scene::FluidSolver::incompressible;
  scene.fluids[0].dynamic_viscosity = viscosity;
  scene.fluids[0].regions.push_back(
      test::sphere({0.203, 0.05, depth + (gap + radius) * cell}, radius * cell));
  GridFluid<2> fluid(scene);
  const auto highest = [&fluid] {
    double height = 0;
    for (const Vec3f& x : fluid.positions())
      height = std::max(height, static_cast<double>(x.z()));
    return height;
  };
  ASSERT_GT(highest(), depth + gap * cell) << "no drop";
  // The pool still sways: what hangs is high all the time.
  double lowest_top = highest();
  for (double time = 0; time < seconds;) {
    const double h = std::min(fluid.stable_substep(), 1.0 / 60);
    fluid.advance_velocities(h, scene.gravity);
    fluid.commit();
    time += h;
    if (time > seconds - swaying) lowest_top = std::min(lowest_top, highest());
  }
  // It rises by what the drop holds.
  const double rise = std::numbers::pi * radius * radius / 20;
  EXPECT_LT((lowest_top - depth) / cell, 1 + rise) << "cells above the pool";
}

INSTANTIATE_TEST_SUITE_P(Drops, DropOnPool,
                         testing::Combine(testing::Values(0, 1e-3, 10),
                                          testing::Values(0.6, 1.5, 2.5, 4),
                                          testing::Values(0.5, 1, 2)),
                         [](const auto& drop) {
                           const auto number = [](double n) {
                             std::string text = std::to_string(n);
                             std::ranges::replace(text, '.', '_');
                             return text.substr(0, 5);
                           };
                           return "viscosity" + number(std::get<0>(drop.param)) + "_gap" +
                                  number(std::get<1>(drop.param)) + "_radius" +
                                  number(std::get<2>(drop.param));
                         });

}  // namespace
}  // namespace sluice::fluid::grid::drop_on_pool_test
