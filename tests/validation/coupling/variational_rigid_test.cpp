// SPDX-License-Identifier: Apache-2.0
// Rigid bodies in incompressible liquid. Oracles: potential flow, Archimedes, a common motion.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "solver/coupling/method.h"
#include "solver/fluid/particle_fluid.h"
#include "solver/geometry/tessellate_shape.h"
#include "solver/parallel/thread_limit.h"
#include "tests/unit/solver/fluid/scenes.h"

namespace sluice::coupling::variational_rigid_test {
namespace {

constexpr double g = 9.81;  // [m/s^2]

/// One body in a liquid.
class Bath {
 public:
  Bath(scene::Scene scene, const geometry::Shape& shape, double relative_density, double edge,
       const Vec3& velocity = Vec3::Zero())
      : scene_(std::move(scene)) {
    scene_.grid.solver = scene::FluidSolver::incompressible;
    scene_.grid.cfl = 2;
    scene_.fluids[0].dynamic_viscosity = 0;
    scene_.coupling.method = scene::CouplingMethod::variational_rigid;
    scene_.coupling.contact_distance = 0.1 * scene_.grid.cell_size;
    scene::RigidBody body;
    body.name = "body";
    body.density = relative_density * scene_.fluids[0].density;
    body.velocity = velocity;
    body.mesh = geometry::tessellate_shape(shape, edge, 1'000'000).value();
    scene_.rigid_bodies = {body};
    solids_ = solid::make_deformable_system(scene_);
    fluid_ = fluid::make_particle_fluid(scene_);
    method_ = make_method(scene_, solids_);
  }

  /// At most `longest` [s]. Returns how long it was.
  double step(double longest) {
    const double h =
        std::min({fluid_->stable_substep(), method_->longest_substep(solids_), longest});
    ExternalActions actions;
    actions.gravity = scene_.gravity;
    actions.obstacles = scene_.obstacles;
    actions.time = time_;
    bool is_good = false;
    parallel::ThreadLimit(2).run(
        [&] { is_good = static_cast<bool>(method_->step(h, actions, solids_, fluid_.get())); });
    EXPECT_TRUE(is_good);
    time_ += h;
    return h;
  }

  [[nodiscard]] const solid::RigidState& body() const { return solids_.rigid_bodies[0].state; }
  [[nodiscard]] Vec3 momentum() const {
    return fluid_->momentum() + solids_.rigid_bodies[0].inertia.mass * body().velocity;
  }
  [[nodiscard]] double time() const { return time_; }

 private:
  scene::Scene scene_;
  solid::DeformableSystem solids_;
  std::unique_ptr<fluid::ParticleFluid> fluid_;
  std::unique_ptr<Method> method_;
  double time_ = 0;
};

/// Full of water up to its lid.
scene::Scene full_box(double size, double cell) {
  scene::Scene scene = fluid::test::tank(Vec3::Constant(size), cell,
                                         fluid::test::box(Vec3::Zero(), Vec3::Constant(size)));
  scene.gravity = {0, 0, -g};
  return scene;
}

// A ball of radius a in the middle of a cube of width L moves as much water with it as half of its
// own volume has, and more for the walls: these are a lattice of images, of alternating sign across
// the axis of motion, whose flow at the ball is S/2 (a/L)^3 of its speed with
// S = sum (-1)^k (3 k^2 - r^2) / r^5 over r = (i, j, k) != 0; then C = 1/2 + 3/4 |S| (a/L)^3.
TEST(VariationalRigid, accelerates_with_the_mass_of_the_water_that_it_moves) {
  constexpr double images = 9.62;  // |S|
  constexpr double size = 0.4, cell = size / 40, radius = 7 * cell;
  const double added = 0.5 + 0.75 * images * std::pow(radius / size, 3);
  for (const double relative_density : {0.1, 0.5, 2.0, 10.0}) {
    Bath bath(full_box(size, cell), fluid::test::sphere({0.2, 0.2013, 0.2027}, radius),
              relative_density, 0.5 * cell);
    const double h = bath.step(1e-3);
    const double expected = -g * (relative_density - 1) / (relative_density + added);
    EXPECT_NEAR(bath.body().velocity.z() / h, expected, 0.02 * std::abs(expected))
        << relative_density;
  }
}

// Peers need seven times the density for this.
TEST(VariationalRigid, hovers_for_ten_seconds_if_it_is_as_dense_as_water) {
  scene::Scene scene =
      fluid::test::tank({0.4, 0.4, 0.6}, 0.025, fluid::test::box({0, 0, 0}, {0.4, 0.4, 0.4}));
  scene.gravity = {0, 0, -g};
  Bath bath(scene, fluid::test::sphere({0.2, 0.203, 0.207}, 0.08), 1, 0.02);
  double fastest = 0, hardest = 0;
  while (bath.time() < 10) {
    const Vec3 before = bath.body().velocity;
    const double h = bath.step(0.02);
    hardest = std::max(hardest, (bath.body().velocity - before).norm() / h);
    fastest = std::max(fastest, bath.body().velocity.norm());
  }
  EXPECT_LT(hardest, 1e-3 * g);
  EXPECT_LT(fastest, 5e-3);
  EXPECT_NEAR(bath.body().world_from_body.translation.z(), 0.207, 0.025);
}

// A block of water flies with a body in it, which is of any density: nothing pushes it.
TEST(VariationalRigid, stays_with_the_flow_that_it_is_in) {
  for (const double relative_density : {0.2, 1.0, 5.0}) {
    scene::Scene scene =
        fluid::test::tank({1, 0.6, 0.6}, 0.025, fluid::test::sphere({0.3, 0.3, 0.3}, 0.2));
    scene.gravity = Vec3::Zero();
    scene.fluids[0].velocity = {1, 0, 0};
    Bath bath(scene, fluid::test::box({0.24, 0.23, 0.25}, {0.35, 0.36, 0.37}), relative_density,
              0.03, scene.fluids[0].velocity);
    const Vec3 momentum = bath.momentum();
    while (bath.time() < 0.3)
      bath.step(0.01);
    EXPECT_LT((bath.body().velocity - Vec3(1, 0, 0)).norm(), 2e-3) << relative_density;
    EXPECT_LT((bath.momentum() - momentum).norm(), 2e-3 * momentum.norm());
  }
}

// A body that moves all at once in a drop at rest, which nothing else touches: the two have its
// momentum in common, for two of its radii on its way.
TEST(VariationalRigid, shares_its_momentum_with_a_drop) {
  for (const double relative_density : {0.2, 1.0, 5.0}) {
    for (const double cell : {0.04, 0.025}) {
      scene::Scene scene =
          fluid::test::tank({1, 1, 1}, cell, fluid::test::sphere({0.5, 0.5, 0.5}, 0.35));
      scene.gravity = Vec3::Zero();
      Bath bath(scene, fluid::test::sphere({0.4, 0.503, 0.507}, 0.12), relative_density, 0.02,
                {1, 0, 0});
      const Vec3 momentum = bath.momentum();
      while (bath.time() < 0.3)
        bath.step(0.01);
      EXPECT_LT(bath.body().velocity.x(), 0.9);
      EXPECT_LT((bath.momentum() - momentum).norm(), 0.01 * momentum.norm())
          << relative_density << ", " << cell;
    }
  }
}

}  // namespace
}  // namespace sluice::coupling::variational_rigid_test
