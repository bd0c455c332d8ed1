// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/liquid/grid_fluid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "solver/geometry/shape.h"
#include "tests/unit/solver/fluid/same_bits.h"
#include "tests/unit/solver/fluid/scenes.h"

namespace sluice::fluid::grid::grid_fluid_test {
namespace {

using test::box;
using test::sphere;
using test::tank;

const Vec3 gravity(0, 0, -9.81);

scene::Scene incompressible(scene::Scene scene) {
  scene.grid.solver = scene::FluidSolver::incompressible;
  scene.grid.cfl = 2;
  scene.gravity = gravity;
  for (scene::Fluid& fluid : scene.fluids)
    fluid.dynamic_viscosity = 0;
  return scene;
}

scene::Scene dam_break() { return incompressible(test::dam_break(scene::Kernel::quadratic)); }

void run(ParticleFluid& fluid, double seconds, double longest = 1.0 / 60, const Vec3& g = gravity) {
  for (double time = 0; time < seconds;) {
    const double h = std::min({longest, fluid.stable_substep(), seconds - time});
    fluid.advance_velocities(h, g);
    ASSERT_EQ(fluid.first_not_finite(), -1);
    fluid.commit();
    time += h;
    if (seconds - time < 1e-9) break;
  }
}

// By row: inside, particles change places.
std::vector<Vec3f> positions_of(const ParticleFluid& fluid) {
  std::vector<Vec3f> positions(fluid.positions().size());
  fluid.gather_rows(fluid.positions(), positions);
  return positions;
}

float largest_speed(const ParticleFluid& fluid) {
  float speed = 0;
  for (const Vec3f& v : fluid.velocities())
    speed = std::max(speed, v.norm());
  return speed;
}

// A drop that touches nothing falls as a stone does.
TEST(GridFluid, falls_freely) {
  const scene::Scene scene = incompressible(tank({1, 1, 2}, 0.05, sphere({0.5, 0.5, 1.6}, 0.2)));
  GridFluid<3> fluid(scene);
  const Vec3 start = fluid.mass_moment();
  double mass = 0;
  for (std::int64_t i = 0; i < fluid.particle_count(); ++i)
    mass += fluid.mass(0);
  const double h = 0.005;
  for (int n = 0; n < 60; ++n) {
    fluid.advance_velocities(h, gravity);
    fluid.commit();
  }
  // Symplectic Euler's: h^2 g n (n + 1) / 2.
  const Vec3 way = (fluid.mass_moment() - start) / mass;
  EXPECT_NEAR(way.z(), -9.81 * h * h * 60 * 61 / 2, 1e-4);
  EXPECT_NEAR(way.x(), 0, 1e-5);
  EXPECT_NEAR(fluid.momentum().z() / mass, -9.81 * 0.3, 1e-4);
}

// Ten seconds; exactly hydrostatic, so nothing may creep or be pressed away.
TEST(GridFluid, at_rest_stays_at_rest) {
  const scene::Scene scene =
      incompressible(tank({0.8, 0.4, 0.6}, 0.05, box({0, 0, 0}, {1, 1, 0.35})));
  GridFluid<3> fluid(scene);
  const std::vector<Vec3f> start = positions_of(fluid);
  run(fluid, 10);
  const std::vector<Vec3f> now = positions_of(fluid);
  for (std::size_t i = 0; i < start.size(); ++i)
    ASSERT_LT((now[i] - start[i]).norm(), 3e-5F);  // What rounding may add up to.
  EXPECT_LT(largest_speed(fluid), 1e-5F);
  std::vector<float> pressures(start.size());
  fluid.gather_rows(fluid.pressures(), pressures);
  for (std::size_t i = 0; i < start.size(); ++i) {
    const double depth = 0.35 - static_cast<double>(start[i].z());
    if (depth < 0.05 || start[i].z() < 0.025F) continue;  // Between values in air and in the floor.
    ASSERT_NEAR(pressures[i], 9810 * depth, 5) << depth;
  }
}

// Liquid that clings to its vessel: with one projection, after viscosity, it turned at 0.7 m/s.
TEST(GridFluid, that_is_viscous_and_at_rest_stays_at_rest) {
  scene::Scene scene = incompressible(tank({0.8, 0.4, 0.6}, 0.05, box({0, 0, 0}, {1, 1, 0.35})));
  scene.grid.wall = scene::WallCondition::no_slip;
  scene.fluids[0].dynamic_viscosity = 20;
  GridFluid<3> fluid(scene);
  run(fluid, 2);
  EXPECT_LT(largest_speed(fluid), 1e-5F);
  const std::vector<float> pressures = fluid.pressures();
  for (std::size_t i = 0; i < pressures.size(); ++i) {
    const double depth = 0.35 - static_cast<double>(fluid.positions()[i].z());
    if (depth < 0.05 || fluid.positions()[i].z() < 0.025F) continue;
    ASSERT_NEAR(pressures[i], 9810 * depth, 5) << depth;
  }
}

// Without solids around it viscosity has nothing to hold on to.
TEST(GridFluid, that_is_viscous_falls_freely) {
  scene::Scene scene = incompressible(tank({1, 1, 2}, 0.05, sphere({0.5, 0.5, 1.6}, 0.2)));
  scene.fluids[0].dynamic_viscosity = 1e4;
  GridFluid<3> fluid(scene);
  const double h = 0.005;
  for (int n = 0; n < 60; ++n) {
    fluid.advance_velocities(h, gravity);
    fluid.commit();
  }
  for (const Vec3f& v : fluid.velocities())
    ASSERT_LT((v - Vec3f(0, 0, -9.81F * 0.3F)).norm(), 1e-3F);
}

// A block on a floor: water runs away, pitch hardly sinks, and that the more slowly the more
// viscous it is: Stokes' flow is inverse to viscosity. Where the liquid's skin fell freely, it was
// none.
TEST(GridFluid, that_is_viscous_holds_its_shape) {
  const auto height_after = [](double viscosity) {
    scene::Scene scene =
        incompressible(tank({1.2, 1.2, 0.6}, 0.05, box({0.4, 0.4, 0}, {0.8, 0.8, 0.4})));
    scene.grid.wall = scene::WallCondition::no_slip;
    scene.fluids[0].dynamic_viscosity = viscosity;
    GridFluid<3> fluid(scene);
    const double start = fluid.mass_moment().z();
    run(fluid, 0.5);
    return fluid.mass_moment().z() / start;
  };
  EXPECT_LT(height_after(0), 0.6);
  const double sunk = 1 - height_after(1.6e4), sunk_of_tenfold = 1 - height_after(1.6e5);
  EXPECT_NEAR(sunk, 0.032, 0.003);  // The same with half of the cells, an eighth of the step.
  EXPECT_NEAR(sunk / sunk_of_tenfold, 10, 1);
}

// Over a slope that cuts through cells, surfaces near it are not quite level: what that moves must
// not add up.
TEST(GridFluid, does_not_creep_over_a_slope) {
  scene::Scene scene = incompressible(tank({0.8, 0.4, 0.6}, 0.05, box({0, 0, 0}, {1, 1, 0.35})));
  scene::Obstacle slope;
  slope.name = "slope";
  slope.shape.form = geometry::HalfSpace{};
  slope.shape.translation = {0, 0, 0.2};
  slope.shape.rotation = Eigen::AngleAxisd(0.35, Vec3::UnitY()).toRotationMatrix();
  scene.obstacles = {slope};
  GridFluid<3> fluid(scene);
  const Vec3 start = fluid.mass_moment();
  double mass = 0;
  for (std::int64_t i = 0; i < fluid.particle_count(); ++i)
    mass += fluid.mass(0);
  run(fluid, 10);
  EXPECT_LT(((fluid.mass_moment() - start) / mass).norm(), 0.002);
  EXPECT_LT(std::sqrt(2 * fluid.kinetic_energy() / mass), 0.01);
}

TEST(GridFluid, leaves_obstacles_and_walls_to_themselves) {
  const scene::Scene scene = dam_break();
  GridFluid<3> fluid(scene);
  run(fluid, 0.6);
  for (const Vec3f& x : fluid.positions()) {
    ASSERT_GE(geometry::signed_distance(scene.obstacles[0].shape, x.cast<double>()).distance, 0);
    ASSERT_TRUE((x.array() >= fluid.lower().array()).all());
    ASSERT_TRUE((x.array() <= fluid.upper().array()).all());
  }
}

// The issue: any dt up to 100 CFL is accepted. What comes of it is not physics, but finite and
// inside.
TEST(GridFluid, takes_steps_of_a_hundred_cells) {
  scene::Scene scene = dam_break();
  scene.grid.cfl = 100;
  GridFluid<3> fluid(scene);
  for (int n = 0; n < 20; ++n) {
    fluid.advance_velocities(std::min(0.5, fluid.stable_substep()), gravity);
    ASSERT_EQ(fluid.first_not_finite(), -1);
    fluid.commit();
    for (const Vec3f& x : fluid.positions()) {
      ASSERT_TRUE((x.array() >= fluid.lower().array()).all());
      ASSERT_TRUE((x.array() <= fluid.upper().array()).all());
    }
  }
}

// Where particles end, by the flow that there is afterwards and the formulas; where neither a wall
// nor an obstacle is near.
TEST(GridFluid, follows_the_flow_by_the_formula_that_it_is_asked_for) {
  scene::Scene scene = dam_break();
  scene.grid.cfl = 4;
  for (const auto integrator : {scene::PathIntegrator::rk2, scene::PathIntegrator::rk3}) {
    scene.grid.path_integrator = integrator;
    GridFluid<3> fluid(scene);
    run(fluid, 0.1);
    const double h = fluid.stable_substep();
    fluid.advance_velocities(h, gravity);
    const auto flow = [&](const Vec3& x) { return fluid.flow_at(x).velocity; };
    int compared = 0;
    double difference = 0;  // [m] of the two formulas
    for (std::size_t i = 0; i < fluid.positions().size(); ++i) {
      const Vec3 x = fluid.positions()[i].cast<double>();
      if (x.x() < 0.03 || x.x() > 0.2 || x.z() < 0.03 || x.y() < 0.03 || x.y() > 0.17) continue;
      const Vec3 k1 = flow(x), k2 = flow(x + 0.5 * h * k1), k3 = flow(x + 0.75 * h * k2);
      const Vec3 second = x + h * k2, third = x + h / 9 * (2 * k1 + 3 * k2 + 4 * k3);
      const Vec3& to = integrator == scene::PathIntegrator::rk2 ? second : third;
      if (to.z() < 0.02 || to.x() > 0.25) continue;
      ++compared;
      difference = std::max(difference, (second - third).norm());
      EXPECT_LT((fluid.targets()[i].cast<double>() - to).norm(), 2e-6) << i;
    }
    EXPECT_GT(compared, 100);
    EXPECT_GT(difference, 5e-5);
  }
}

TEST(GridFluid, has_the_same_bits_on_any_number_of_threads_and_after_a_restore) {
  scene::Scene scene = dam_break();
  for (const auto transfer : {scene::Transfer::apic, scene::Transfer::flip, scene::Transfer::pic}) {
    scene.grid.transfer = transfer;
    test::expect_same_bits<GridFluid<3>>(scene, [](ParticleFluid& fluid) { run(fluid, 0.2); });
  }
  scene.grid.path_integrator = scene::PathIntegrator::rk2;
  test::expect_same_bits<GridFluid<3>>(scene, [](ParticleFluid& fluid) { run(fluid, 0.2); });
}

TEST(GridFluid, refuses_bytes_that_are_no_snapshot_of_it) {
  const scene::Scene scene = dam_break();
  const GridFluid<3> fluid(scene);
  const std::vector<std::byte> good = fluid.save();
  for (const std::size_t size : {std::size_t{0}, good.size() / 2, good.size() - 1}) {
    EXPECT_FALSE(GridFluid<3>::restore(scene, std::span(good).first(size)));
  }
  std::vector<std::byte> longer = good;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(GridFluid<3>::restore(scene, longer));
}

// A wave that breaks and comes to rest again: the liquid is as deep as its particles' volume makes
// it, to a tenth of a cell, 4 mm.
TEST(GridFluid, keeps_its_volume) {
  scene::Scene scene = incompressible(tank({0.8, 0.2, 0.6}, 0.04, box({0, 0, 0}, {0.4, 1, 0.4})));
  GridFluid<3> fluid(scene);
  double mass = 0;
  for (std::int64_t i = 0; i < fluid.particle_count(); ++i)
    mass += fluid.mass(0);
  run(fluid, 5);
  // To rest faster: as much of the motion is taken off in each step as thick oil would.
  for (int n = 0; n < 600; ++n) {
    for (Vec3f& v : fluid.velocities())
      v *= 0.9F;
    fluid.advance_velocities(1.0 / 120, gravity);
    fluid.commit();
  }
  EXPECT_NEAR(fluid.mass_moment().z() / mass, 0.1, 0.002);
}

// PIC wastes what FLIP and APIC keep.
TEST(GridFluid, loses_energy_as_its_transfer_does) {
  std::vector<double> energies;
  for (const auto transfer : {scene::Transfer::pic, scene::Transfer::apic, scene::Transfer::flip}) {
    scene::Scene scene = dam_break();
    scene.grid.transfer = transfer;
    GridFluid<3> fluid(scene);
    run(fluid, 0.8);
    energies.push_back(fluid.kinetic_energy());
  }
  EXPECT_LT(1.3 * energies[0], energies[1]);
  EXPECT_LT(1.3 * energies[0], energies[2]);
}

// A box of 0.008 m^3 goes down into water that is 0.96 m^2 wide: what it takes up raises the rest.
TEST(GridFluid, makes_room_for_an_obstacle_that_moves) {
  scene::Scene scene = incompressible(tank({1.2, 0.8, 0.8}, 0.05, box({0, 0, 0}, {1.2, 0.8, 0.3})));
  scene::Obstacle block;
  block.name = "block";
  block.shape = box({0.5, 0.3, 0.3}, {0.7, 0.5, 0.5});
  scene.obstacles = {block};
  GridFluid<3> fluid(scene);
  const Vec3 start = fluid.mass_moment();
  std::vector<scene::Obstacle> obstacles = scene.obstacles;
  const double h = 1.0 / 120;
  for (int n = 0; n < 240; ++n) {
    const bool is_going = n < 120;
    obstacles[0].velocity = {0, 0, is_going ? -0.2 : 0};
    obstacles[0].shape.translation += h * obstacles[0].velocity;
    fluid.set_obstacles(obstacles);
    fluid.advance_velocities(h, gravity);
    fluid.commit();
    ASSERT_EQ(fluid.first_not_finite(), -1);
  }
  for (const Vec3f& x : fluid.positions())
    ASSERT_GE(geometry::signed_distance(obstacles[0].shape, x.cast<double>()).distance, 0);
  // The block's water went from 0.2 m up to the surface at 0.3 m: by its middle, 0.1 m and half of
  // what the level rose. That lifts the middle of all water by 3 mm; a hundredth of a cell is 0.5.
  const double mass = 1000 * 0.96 * 0.3;
  const double lifted = 1000 * 0.008 * (0.1 + 0.008 / 0.96 / 2) / mass;
  EXPECT_NEAR((fluid.mass_moment() - start).z() / mass, lifted, 0.0005);
}

// Without gravity, water flies along the floor. It slides, or the floor holds back what is next to
// it.
TEST(GridFluid, slides_or_sticks_as_walls_say) {
  std::vector<double> speeds;
  for (const auto wall : {scene::WallCondition::slip, scene::WallCondition::no_slip}) {
    scene::Scene scene =
        incompressible(tank({2, 0.4, 0.4}, 0.05, box({0.2, 0, 0}, {0.8, 0.4, 0.2})));
    scene.gravity.setZero();
    scene.grid.wall = wall;
    scene.fluids[0].velocity = {1, 0, 0};
    GridFluid<3> fluid(scene);
    double mass = 0;
    for (std::int64_t i = 0; i < fluid.particle_count(); ++i)
      mass += fluid.mass(0);
    run(fluid, 0.5, 1.0 / 100, Vec3::Zero());
    speeds.push_back(fluid.momentum().x() / mass);
  }
  EXPECT_NEAR(speeds[0], 1, 1e-4);
  EXPECT_LT(speeds[1], 0.9);
}

TEST(GridFluid, goes_where_it_is_pushed) {
  const scene::Scene scene = incompressible(tank({1, 1, 1}, 0.05, sphere({0.5, 0.5, 0.5}, 0.2)));
  GridFluid<3> fluid(scene);
  double mass = 0;
  for (std::int64_t i = 0; i < fluid.particle_count(); ++i)
    mass += fluid.mass(0);
  const Push push{{0.5, 0.5, 0.5}, 0.4, {3, 0, 1}};
  fluid.advance_velocities(0.01, Vec3::Zero(), std::span(&push, 1));
  fluid.commit();
  EXPECT_LT((fluid.momentum() / mass - 0.01 * push.acceleration).norm(), 1e-5);
}

TEST(GridFluid, comes_in_by_emitters_and_goes_out) {
  scene::Scene scene = incompressible(tank({1, 0.4, 0.6}, 0.05, box({0, 0, 0}, {0.2, 0.4, 0.1})));
  scene::Emitter emitter;
  emitter.name = "pipe";
  emitter.shape = box({0.05, 0.1, 0.3}, {0.2, 0.3, 0.5});
  emitter.velocity = {2, 0, 0};
  scene.fluids[0].emitters = {emitter};
  scene.grid.sides[0][1] = scene::Side::open;
  GridFluid<3> fluid(scene);
  std::int64_t emitted = 0, removed = 0;
  const std::int64_t start = fluid.particle_count();
  double time = 0;
  while (time < 1) {
    const double h = std::min(1.0 / 60, fluid.stable_substep());
    fluid.advance_velocities(h, gravity);
    fluid.commit();
    time += h;
    const Exchange exchange = fluid.exchange(time, [](const Vec3&) { return true; });
    emitted += exchange.emitted_count;
    removed += exchange.removed_count;
  }
  EXPECT_EQ(fluid.particle_count(), start + emitted - removed);
  // 2 m/s through 0.2 x 0.2 m for a second, less the layers that the pipe begins with.
  EXPECT_NEAR(static_cast<double>(emitted) * std::pow(0.025, 3), 2 * time * 0.04, 0.008);
  EXPECT_GT(removed, start / 2);
}

TEST(GridFluid, without_particles_is_still) {
  scene::Scene scene = incompressible(tank({1, 0.4, 0.6}, 0.05, box({0, 0, 0}, {0.2, 0.4, 0.1})));
  scene.fluids[0].regions.clear();
  scene::Emitter emitter;
  emitter.name = "pipe";
  emitter.shape = box({0.05, 0.1, 0.3}, {0.2, 0.3, 0.5});
  emitter.velocity = {2, 0, 0};
  emitter.open.start = 10;
  scene.fluids[0].emitters = {emitter};
  GridFluid<3> fluid(scene);
  EXPECT_EQ(fluid.particle_count(), 0);
  fluid.advance_velocities(0.01, gravity);
  fluid.commit();
  EXPECT_EQ(fluid.kinetic_energy(), 0);
  EXPECT_EQ(fluid.flow_at({0.5, 0.2, 0.3}).density, 0);
}

}  // namespace
}  // namespace sluice::fluid::grid::grid_fluid_test
