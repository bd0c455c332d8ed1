// SPDX-License-Identifier: Apache-2.0
// Viscous flow along periodic axes. Oracles: Poiseuille's parabola between two plates, Couette's
// line above a belt, the exact decay of a flow that shears.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "solver/fluid/mpm/mpm_fluid.h"
#include "solver/fluid/particle_fluid.h"
#include "solver/parallel/thread_limit.h"
#include "tests/unit/solver/fluid/scenes.h"

namespace sluice::fluid::channel_test {
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
  parallel::ThreadLimit limit(1);
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

// An incompressible liquid without a surface, along x as endless as short.
class EndlessChannel : public testing::TestWithParam<int> {
 protected:
  static constexpr double cell = 0.01, height = 0.32, viscosity = 2, nu = viscosity / 1000;

  static scene::Scene make() {
    const double length = (GetParam() == 3 ? 16 : 32) * cell;
    scene::Scene scene =
        test::tank({length, length, height}, cell, test::box({0, 0, 0}, {length, length, height}));
    scene.grid.dimensions = GetParam();
    scene.grid.solver = scene::FluidSolver::incompressible;
    scene.grid.wall = scene::WallCondition::no_slip;
    scene.grid.cfl = 1;
    scene.grid.particles_per_axis = GetParam() == 3 ? 1 : 2;
    scene.grid.sides[0].fill(scene::Side::periodic);
    if (GetParam() == 3) scene.grid.sides[1].fill(scene::Side::periodic);
    scene.fluids[0].dynamic_viscosity = viscosity;
    scene.fluids[0].velocity = Vec3::Zero();
    return scene;
  }

  static void run(ParticleFluid& fluid, double seconds, double longest, const Vec3& gravity) {
    parallel::ThreadLimit limit(1);
    limit.run([&] {
      for (double time = 0; time < seconds - 1e-9;) {
        const double h = std::min({longest, fluid.stable_substep(), seconds - time});
        fluid.advance_velocities(h, gravity);
        fluid.commit();
        time += h;
        static_cast<void>(fluid.exchange(time, [](const Vec3&) { return true; }));
      }
    });
  }

  // The largest difference of velocities along x from exact(z), between two heights.
  static double error(const ParticleFluid& fluid, double low, double high,
                      const std::function<double(double)>& exact) {
    double worst = 0;
    for (std::size_t i = 0; i < fluid.positions().size(); ++i) {
      const auto z = static_cast<double>(fluid.positions()[i].z());
      if (z < low || z > high) continue;
      worst = std::max(worst, std::abs(static_cast<double>(fluid.velocities()[i].x()) - exact(z)));
    }
    return worst;
  }
};
INSTANTIATE_TEST_SUITE_P(Dimensions, EndlessChannel, testing::Values(2, 3),
                         [](const auto& of) { return std::to_string(of.param); });

TEST_P(EndlessChannel, has_the_parabola_of_poiseuille) {
  constexpr double push = 0.05, fastest = push * height * height / (8 * nu);
  const auto fluid = make_particle_fluid(make());
  // The slowest mode goes with pi^2 nu / height^2, 0.19 a second.
  run(*fluid, 30, 0.2, Vec3(push, 0, 0));
  const double worst = error(*fluid, 0, height, [&](double z) {
    return 4 * fastest * z * (height - z) / (height * height);
  });
  EXPECT_LT(worst, 0.01 * fastest);
  RecordProperty("worst_part_of_fastest", std::to_string(worst / fastest));
}

// Above a slab that moves along itself without getting anywhere. A closed face has the velocity of
// the solid: that is in the middle of the slab's last cells.
TEST_P(EndlessChannel, has_the_line_of_couette) {
  constexpr double speed = 0.5, top = 8 * cell, moving = top - cell / 2;
  scene::Scene scene = make();
  scene::Obstacle belt;
  belt.name = "belt";
  belt.shape = test::box({-1, -1, -1}, {2, 2, top});
  belt.wall = scene::WallCondition::no_slip;
  scene.obstacles = {belt};
  scene.fluids[0].regions = {test::box({0, 0, top}, {1, 1, height})};
  const auto fluid = make_particle_fluid(scene);
  scene.obstacles[0].velocity = Vec3(speed, 0, 0);
  fluid->set_obstacles(scene.obstacles);
  run(*fluid, 30, 0.2, Vec3::Zero());
  const double worst = error(*fluid, top + cell, height,
                             [&](double z) { return speed * (height - z) / (height - moving); });
  EXPECT_LT(worst, 0.01 * speed);
  RecordProperty("worst_part_of_speed", std::to_string(worst / speed));
}

// u = sin(2 pi z / height), periodic along z too, decays by exp(-nu k^2 t), and does not drift.
TEST_P(EndlessChannel, lets_a_flow_that_shears_decay) {
  constexpr double k = 2 * std::numbers::pi / height, seconds = 1.0;
  scene::Scene scene = make();
  scene.grid.sides[2].fill(scene::Side::periodic);
  const auto fluid = make_particle_fluid(scene);
  for (std::size_t i = 0; i < fluid->positions().size(); ++i)
    fluid->velocities()[i].x() =
        static_cast<float>(std::sin(k * static_cast<double>(fluid->positions()[i].z())));
  run(*fluid, seconds, 0.005, Vec3::Zero());
  const double left = std::exp(-nu * k * k * seconds);
  const double worst = error(*fluid, 0, height, [&](double z) { return left * std::sin(k * z); });
  EXPECT_LT(worst, 0.02 * left);
  RecordProperty("worst_part_of_what_is_left", std::to_string(worst / left));
}

}  // namespace
}  // namespace sluice::fluid::channel_test
