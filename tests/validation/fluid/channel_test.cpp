// SPDX-License-Identifier: Apache-2.0
// Viscous flow between two plates, along periodic axes. Oracle: Poiseuille's parabola.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "solver/fluid/mpm/mpm_fluid.h"
#include "solver/parallel/thread_limit.h"
#include "tests/unit/solver/fluid/scenes.h"

namespace sluice::fluid {
namespace {

TEST(Channel, has_the_parabola_of_poiseuille) {
  constexpr double cell = 0.01, height = 0.2, viscosity = 5, push = 0.4;
  scene::Scene scene = test::tank({4 * cell, 4 * cell, height}, cell,
                                  test::box({0, 0, 0}, {4 * cell, 4 * cell, height}));
  scene.grid.wall = scene::WallCondition::no_slip;
  for (std::size_t axis : {0, 1})
    scene.grid.sides[axis].fill(scene::Side::periodic);
  scene.fluids[0].dynamic_viscosity = viscosity;
  scene.fluids[0].sound_speed = 5;
  MpmFluid fluid(scene);
  // Five times as long as the slowest mode of decay takes.
  constexpr double nu = viscosity / 1000, end = 5 * height * height / (9.87 * nu);
  parallel::ThreadLimit limit(2);
  limit.run([&] {
    for (double time = 0; time < end;) {
      const double h = fluid.stable_substep();
      fluid.advance_velocities(h, Vec3(push, 0, 0));
      fluid.commit();
      time += h;
      static_cast<void>(fluid.exchange(time, [](const Vec3&) { return true; }));
    }
  });
  const double fastest = push * height * height / (8 * nu);
  double worst = 0;
  for (std::size_t i = 0; i < fluid.positions().size(); ++i) {
    const auto z = static_cast<double>(fluid.positions()[i].z());
    const double expected = 4 * fastest * z * (height - z) / (height * height);
    worst = std::max(worst, std::abs(static_cast<double>(fluid.velocities()[i].x()) - expected));
  }
  EXPECT_LT(worst, 0.03 * fastest);
  RecordProperty("worst_part_of_fastest", std::to_string(worst / fastest));
}

}  // namespace
}  // namespace sluice::fluid
