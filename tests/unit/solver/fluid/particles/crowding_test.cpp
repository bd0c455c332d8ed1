// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/particles/crowding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "solver/fluid/particle_fluid.h"
#include "tests/unit/solver/fluid/scenes.h"

namespace sluice::fluid {
namespace {

void run(ParticleFluid& fluid, const scene::Scene& scene, double end) {
  for (double time = 0; time < end;) {
    const double h = std::min(fluid.stable_substep(), 1.0 / 200);
    fluid.advance_velocities(h, scene.gravity);
    fluid.commit();
    time += h;
  }
}

// Moves all particles to `part` of their height.
void press(ParticleFluid& fluid, float part) {
  fluid.advance_velocities(1e-5, Vec3::Zero());
  for (Vec3f& x : fluid.targets())
    x[2] *= part;
  fluid.commit();
}

class CompressedVolume : public testing::TestWithParam<std::tuple<scene::FluidSolver, int>> {
 protected:
  static scene::Scene water(const geometry::Shape& region) {
    auto scene = test::tank({0.4, 0.2, 0.4}, 0.02, region);
    scene.grid.solver = std::get<0>(GetParam());
    scene.grid.dimensions = std::get<1>(GetParam());
    return scene;
  }
};

TEST_P(CompressedVolume, of_a_tank_at_rest_is_none) {
  const auto scene = water(test::box({0, 0, 0}, {0.4, 0.2, 0.2}));
  const auto fluid = make_particle_fluid(scene);
  EXPECT_EQ(fluid->lost_volume_part(), 0);
  run(*fluid, scene, 0.3);
  EXPECT_EQ(fluid->lost_volume_part(), 0);
}

TEST_P(CompressedVolume, of_a_splash_is_next_to_none) {
  auto scene = water(test::box({0, 0, 0}, {0.15, 0.2, 0.3}));
  scene.fluids[0].velocity = Vec3(2, 0, 0);
  const auto fluid = make_particle_fluid(scene);
  for (int n = 0; n < 8; ++n) {
    run(*fluid, scene, 0.06);
    EXPECT_LT(fluid->lost_volume_part(), 0.05) << n;
  }
}

// Oracle: what is left of the volume. The boxes at the surface are not full, which hides a part of
// what has no room in them.
TEST_P(CompressedVolume, of_what_was_pressed_is_what_it_lost) {
  const auto scene = water(test::box({0, 0, 0}, {0.4, 0.2, 0.24}));
  for (const float left : {0.667F, 0.5F, 0.334F}) {
    const auto fluid = make_particle_fluid(scene);
    press(*fluid, left);
    EXPECT_NEAR(fluid->lost_volume_part(), 1 - static_cast<double>(left), 0.02) << left;
  }
  const auto flat = make_particle_fluid(scene);
  press(*flat, 0);
  // In boxes of two cells: 0.04 of 0.24 m.
  EXPECT_NEAR(flat->lost_volume_part(), 1 - 0.04 / 0.24, 0.01);
}

INSTANTIATE_TEST_SUITE_P(, CompressedVolume,
                         testing::Combine(testing::Values(scene::FluidSolver::mpm,
                                                          scene::FluidSolver::incompressible),
                                          testing::Values(3, 2)));

}  // namespace
}  // namespace sluice::fluid
