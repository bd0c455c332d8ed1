// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/liquid/letting_go.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "solver/fluid/particle_fluid.h"
#include "tests/unit/solver/fluid/scenes.h"

// Case 43 of the field's reports: drops hung under ceilings and at walls. A solid pushes and does
// not pull, so what nothing presses to it falls as it would without it.
namespace sluice::fluid::grid::letting_go_test {
namespace {

constexpr double cell_size = 0.05, spacing = 0.5 * cell_size, g = 9.81;

// `across` particles along each axis, in a box of 1 m, of which the lowest are at `lower` [m].
scene::Scene drop(int dimensions, int across, Vec3 lower) {
  Vec3 upper = lower + Vec3::Constant(across * spacing);
  if (dimensions == 2) {
    lower.y() = 0;
    upper.y() = 1;
  }
  const Vec3 within = Vec3::Constant(0.1 * spacing);
  scene::Scene scene = test::tank({1, 1, 1}, cell_size, test::box(lower + within, upper - within));
  scene.grid.solver = scene::FluidSolver::incompressible;
  scene.grid.dimensions = dimensions;
  scene.fluids[0].dynamic_viscosity = 0;
  return scene;
}

// The way along gravity in 15 substeps, over that of what falls freely: h^2 g n (n + 1) / 2.
double fall_of(const scene::Scene& scene) {
  const auto fluid = make_particle_fluid(scene);
  const int steps = 15;
  const double h = 0.01;
  double mass = 0;
  for (const std::uint8_t material : fluid->materials())
    mass += static_cast<double>(fluid->mass(material));
  const Vec3 start = fluid->mass_moment();
  for (int n = 0; n < steps; ++n) {
    fluid->advance_velocities(h, scene.gravity);
    fluid->commit();
  }
  const double way = (fluid->mass_moment() - start).dot(scene.gravity.normalized()) / mass;
  return way / (0.5 * h * h * g * steps * (steps + 1));
}

struct Case {
  int dimensions, across;
  scene::WallCondition wall;
};

class LetsGo : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Drops, LetsGo,
                         testing::Values(Case{3, 1, scene::WallCondition::slip},
                                         Case{3, 2, scene::WallCondition::slip},
                                         Case{3, 2, scene::WallCondition::no_slip},
                                         Case{2, 1, scene::WallCondition::slip},
                                         Case{2, 2, scene::WallCondition::slip},
                                         Case{2, 2, scene::WallCondition::no_slip}));

TEST_P(LetsGo, of_the_sides_of_the_domain) {
  const Case& drops = GetParam();
  for (int axis = 0; axis < 3; ++axis) {
    if (drops.dimensions == 2 && axis == 1) continue;
    for (const bool is_upper : {false, true}) {
      for (const double aside : {0.5, 0.5 + spacing}) {
        Vec3 lower = Vec3::Constant(aside);
        lower[axis] = is_upper ? 1 - drops.across * spacing : 0;
        scene::Scene scene = drop(drops.dimensions, drops.across, lower);
        scene.grid.wall = drops.wall;
        scene.gravity = (is_upper ? -g : g) * Vec3::Unit(axis);
        EXPECT_NEAR(fall_of(scene), 1, 0.01) << axis << is_upper << " " << aside;
      }
    }
  }
}

TEST_P(LetsGo, of_the_undersides_of_obstacles) {
  const Case& drops = GetParam();
  scene::Obstacle flat, ball, tilted;
  flat.shape = test::box({0.2, 0.2, 0.6}, {0.8, 0.8, 0.8});
  ball.shape = test::sphere({0.5, 0.5, 0.76}, 0.15);
  tilted.shape.form = geometry::Box{Vec3(0.3, 0.3, 0.1)};
  tilted.shape.translation = {0.5, 0.5, 0.725};
  tilted.shape.rotation = Eigen::AngleAxisd(0.3, Vec3::UnitY()).toRotationMatrix();
  for (scene::Obstacle obstacle : {flat, ball, tilted}) {
    obstacle.name = "solid";
    obstacle.wall = drops.wall;
    scene::Scene scene =
        drop(drops.dimensions, drops.across, {0.5, 0.5, 0.6 - drops.across * spacing});
    scene.gravity = {0, 0, -g};
    scene.obstacles = {obstacle};
    EXPECT_NEAR(fall_of(scene), 1, 0.01) << obstacle.shape.form.index();
  }
}

// Liquid that is pressed to a ceiling, or hangs in a full vessel, has no reason to leave.
TEST(LettingGo, leaves_what_has_no_air_to_fall_into) {
  scene::Scene scene = test::tank({0.4, 0.4, 0.4}, cell_size, test::box({0, 0, 0}, {1, 1, 1}));
  scene.grid.solver = scene::FluidSolver::incompressible;
  scene.fluids[0].dynamic_viscosity = 0;
  scene.gravity = {0, 0, -g};
  const auto fluid = make_particle_fluid(scene);
  for (int n = 0; n < 20; ++n) {
    fluid->advance_velocities(0.01, scene.gravity);
    fluid->commit();
  }
  EXPECT_LT(fluid->kinetic_energy(), 1e-6);
}

}  // namespace
}  // namespace sluice::fluid::grid::letting_go_test
