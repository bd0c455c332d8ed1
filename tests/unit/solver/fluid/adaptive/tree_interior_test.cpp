// SPDX-License-Identifier: Apache-2.0
// A liquid whose inside has larger cells and no particles. Oracles: the liquid on equal cells,
// rest, conservation, the period of a standing wave.
#include "solver/fluid/adaptive/tree_interior.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <vector>

#include "solver/bytes.h"
#include "solver/fluid/abilities.h"
#include "solver/fluid/particle_fluid.h"
#include "solver/parallel/thread_limit.h"
#include "tests/unit/solver/fluid/scenes.h"

namespace sluice::fluid::adaptive {
namespace {

using test::box;
using test::sphere;

const Vec3 down{0, 0, -9.81};

// A tank a metre wide, with `water` in it.
scene::Scene tank_of(int dimensions, double cell_size, int levels,
                     const std::vector<geometry::Shape>& water) {
  scene::Scene scene = test::tank({1, dimensions == 2 ? 0.2 : 1, 1}, cell_size, water.front());
  scene.fluids[0].regions = water;
  scene.fluids[0].dynamic_viscosity = 0;
  scene.grid.solver = scene::FluidSolver::incompressible;
  scene.grid.dimensions = dimensions;
  scene.grid.cfl = 2;
  if (levels > 0) {
    scene.grid.adaptive.emplace();
    scene.grid.adaptive->levels = levels;
  }
  return scene;
}

geometry::Shape layer(double height) { return box({0, 0, 0}, {1, 1, height}); }

std::int64_t all_liquid(const ParticleFluid& fluid) {
  return fluid.particle_count() + as<HasInterior>(&fluid)->interior_count();
}

std::vector<std::int64_t> cell_counts(const ParticleFluid& fluid) {
  const auto counts = as<DividesCells>(&fluid)->cell_counts();
  return {counts.begin(), counts.end()};
}

// Calls after(time) after each substep.
template <typename After>
void flow(ParticleFluid& fluid, double begin, double end, const Vec3& gravity, const After& after) {
  for (double time = begin; time < end - 1e-9;) {
    const double h = std::min({fluid.stable_substep(), 1.0 / 30, end - time});
    ASSERT_TRUE(fluid.advance({.duration = h, .time = time, .gravity = gravity, .pushes = {}}));
    fluid.commit();
    time += h;
    static_cast<void>(fluid.exchange(time, [](const Vec3&) { return true; }));
    after(time);
  }
}

void flow(ParticleFluid& fluid, double begin, double end, const Vec3& gravity = down) {
  flow(fluid, begin, end, gravity, [](double) {});
}

double fastest(const ParticleFluid& fluid) {
  double fastest = 0;
  for (const Vec3f& velocity : fluid.velocities())
    fastest = std::max(fastest, static_cast<double>(velocity.norm()));
  return fastest;
}

TEST(TreeInterior, rests_with_a_fraction_of_the_particles_and_cells) {
  for (const int dimensions : {2, 3}) {
    const auto fluid = make_particle_fluid(
        tank_of(dimensions, dimensions == 2 ? 1.0 / 64 : 1.0 / 32, 4, {layer(0.75)}));
    const std::int64_t at_start = all_liquid(*fluid);
    const Vec3 middle = fluid->mass_moment();
    flow(*fluid, 0, dimensions == 2 ? 10 : 1);
    EXPECT_LT(fastest(*fluid), 1e-6);
    EXPECT_LT(std::sqrt(2 * fluid->kinetic_energy() / 1000), 1e-6);
    EXPECT_EQ(all_liquid(*fluid), at_start);
    EXPECT_LT(fluid->particle_count(), at_start / 2);
    EXPECT_LT((fluid->mass_moment() - middle).norm(), 1e-6 * middle.norm());
    const std::vector<std::int64_t> counts = cell_counts(*fluid);
    ASSERT_EQ(counts.size(), 4U);
    EXPECT_GT(counts[1], 0);
    EXPECT_GT(counts[2], 0);
    // Pressure is that of the water above, also next to larger cells.
    const std::vector<float> pressures = fluid->pressures();
    for (std::size_t i = 0; i < pressures.size(); ++i) {
      const double z = fluid->positions()[i].z();
      if (z < 0.72) {
        ASSERT_NEAR(pressures[i], 1000 * 9.81 * (0.75 - z), 60) << z;
      }
    }
  }
}

// With cells of three sizes below it, a wave as long as the tank swings as linear theory says
// [Lamb1932, section 228]: w^2 = g k tanh(k d).
TEST(TreeInterior, a_standing_wave_has_the_period_of_theory) {
  const double depth = 0.6, k = std::numbers::pi, amplitude = 0.03;
  for (const int levels : {0, 4}) {
    scene::Scene scene = tank_of(2, 1.0 / 64, levels, {layer(depth)});
    const auto fluid = make_particle_fluid(scene);
    // Tilted gravity for a while starts it.
    flow(*fluid, 0, 0.2, {9.81 * amplitude * k, 0, -9.81});
    const double mass = 1000 * 0.2 * depth;
    std::vector<double> zeros;
    double last = 0, last_time = 0;
    flow(*fluid, 0.2, 6, down, [&](double time) {
      const double now = fluid->mass_moment().x() / mass - 0.5;
      if (last * now < 0) zeros.push_back(last_time + (time - last_time) * last / (last - now));
      last = now;
      last_time = time;
    });
    ASSERT_GT(zeros.size(), 8U);
    const double period =
        2 * (zeros.back() - zeros.front()) / static_cast<double>(zeros.size() - 1);
    const double theory = 2 * std::numbers::pi / std::sqrt(9.81 * k * std::tanh(k * depth));
    EXPECT_NEAR(period, theory, 0.01 * theory) << levels;
  }
}

TEST(TreeInterior, sloshes_as_on_equal_cells_and_keeps_its_volume) {
  const Vec3 tilted{2, 0, -9.5};
  const auto largest = [&](int levels) {
    const auto fluid = make_particle_fluid(tank_of(2, 1.0 / 96, levels, {layer(0.5)}));
    const std::int64_t at_start = all_liquid(*fluid);
    double most = 0;
    flow(*fluid, 0, 5, tilted, [&](double) {
      most = std::max(most, fluid->kinetic_energy());
      ASSERT_NEAR(static_cast<double>(all_liquid(*fluid)), static_cast<double>(at_start),
                  0.004 * static_cast<double>(at_start));
    });
    return most;
  };
  const double equal = largest(0);
  EXPECT_NEAR(largest(4), equal, 0.06 * equal);
}

TEST(TreeInterior, a_drop_falls_into_it_as_on_equal_cells) {
  for (const int dimensions : {2, 3}) {
    const double y = dimensions == 2 ? 0.1 : 0.5;
    const std::vector<geometry::Shape> water{layer(0.6), sphere({0.5, y, 0.8}, 0.1)};
    const double cell = dimensions == 2 ? 1.0 / 96 : 1.0 / 32;
    const auto equal = make_particle_fluid(tank_of(dimensions, cell, 0, water));
    const auto tree = make_particle_fluid(tank_of(dimensions, cell, 4, water));
    const std::int64_t at_start = all_liquid(*tree);
    flow(*equal, 0, 0.4);
    flow(*tree, 0, 0.4);
    EXPECT_NEAR(tree->kinetic_energy(), equal->kinetic_energy(), 0.1 * equal->kinetic_energy());
    EXPECT_NEAR(static_cast<double>(all_liquid(*tree)), static_cast<double>(at_start),
                0.01 * static_cast<double>(at_start));
    EXPECT_LT(tree->particle_count(), at_start);
  }
}

// A dam that breaks leaves nothing of its inside deep below a surface for long.
TEST(TreeInterior, a_dam_break_loses_nothing_where_cells_change_all_the_time) {
  const auto fluid = make_particle_fluid(tank_of(2, 1.0 / 64, 5, {box({0, 0, 0}, {0.5, 1, 0.7})}));
  const std::int64_t at_start = all_liquid(*fluid);
  flow(*fluid, 0, 3, down, [&](double) {
    ASSERT_NEAR(static_cast<double>(all_liquid(*fluid)), static_cast<double>(at_start),
                0.02 * static_cast<double>(at_start));
    for (const Vec3f& x : fluid->positions())
      ASSERT_TRUE(x.allFinite());
  });
  EXPECT_LT(fluid->lost_volume_part(), 0.02);
}

// Particles around what emitters, drains and obstacles do, wherever they are.
TEST(TreeInterior, emitters_and_drains_work_deep_in_it) {
  scene::Scene scene = tank_of(2, 1.0 / 64, 4, {layer(0.6)});
  scene::Emitter emitter;
  emitter.name = "pipe";
  emitter.shape = box({0.2, 0, 0.1}, {0.3, 1, 0.2});
  emitter.velocity = {1, 0, 0};
  scene.fluids[0].emitters = {emitter};
  scene::Drain drain;
  drain.shape = box({0.7, 0, 0}, {0.8, 1, 0.1});
  scene.drains = {drain};
  const auto fluid = make_particle_fluid(scene);
  std::int64_t balance = fluid->particle_count(), emitted = 0;
  for (double time = 0; time < 1;) {
    const double h = std::min(fluid->stable_substep(), 1.0 / 60);
    ASSERT_TRUE(fluid->advance({.duration = h, .time = time, .gravity = down, .pushes = {}}));
    fluid->commit();
    time += h;
    const Exchange exchange = fluid->exchange(time, [](const Vec3&) { return true; });
    emitted += exchange.emitted_count;
    balance += exchange.emitted_count - exchange.removed_count + exchange.settled_count;
    ASSERT_EQ(balance, fluid->particle_count());
  }
  EXPECT_GT(as<HasInterior>(fluid.get())->interior_count(), 0);
  // 0.1 m^2 in a second, a particle for each quarter of a cell.
  EXPECT_NEAR(static_cast<double>(emitted), 0.1 * 4 * 64 * 64, 0.1 * 0.1 * 4 * 64 * 64);
}

TEST(TreeInterior, has_the_same_bits_on_any_number_of_threads_and_after_a_restore) {
  for (const int dimensions : {2, 3}) {
    const double y = dimensions == 2 ? 0.1 : 0.5, cell = dimensions == 2 ? 1.0 / 64 : 1.0 / 24;
    scene::Scene scene = tank_of(dimensions, cell, 3, {layer(0.7), sphere({0.4, y, 0.85}, 0.1)});
    scene::Obstacle ball;
    ball.name = "ball";
    ball.shape = sphere({0.6, y, 0.2}, 0.1);
    scene.obstacles = {ball};
    const auto bytes = [&](int threads, bool is_restored) {
      const parallel::ThreadLimit limit(threads);
      auto fluid = make_particle_fluid(scene);
      flow(*fluid, 0, 0.2);
      if (is_restored) {
        const std::vector<std::byte> saved = fluid->save();
        fluid = make_particle_fluid(scene, Start::to_restore);
        ByteReader in(saved);
        EXPECT_TRUE(fluid->restore(in));
        EXPECT_TRUE(in.is_at_end());
      }
      flow(*fluid, 0.2, 0.4);
      return fluid->save();
    };
    const std::vector<std::byte> one = bytes(1, false);
    EXPECT_EQ(bytes(2, false), one);
    EXPECT_EQ(bytes(2, true), one);
  }
}

// Through an open side, up to which the water is told to reach and beyond, as much flows out as on
// equal cells.
TEST(TreeInterior, flows_out_of_open_sides_as_on_equal_cells) {
  const auto left_after = [](int levels, double end) {
    scene::Scene scene = tank_of(2, 1.0 / 64, levels, {box({-1, -1, -1}, {3, 1, 0.7})});
    scene.grid.sides[0][1] = scene::Side::open;
    const auto fluid = make_particle_fluid(scene);
    flow(*fluid, 0, end);
    return static_cast<double>(all_liquid(*fluid));
  };
  for (const double end : {0.1, 0.3}) {
    const double equal = left_after(0, end);
    EXPECT_NEAR(left_after(4, end), equal, 0.02 * equal) << end;
  }
}

// A plate so thin that it covers no face of a cell parts water of two heights, below which there is
// none.
TEST(TreeInterior, a_thin_plate_in_it_keeps_two_waters_apart) {
  scene::Scene scene = tank_of(2, 1.0 / 64, 4, {box({0, 0, 0}, {0.503, 1, 0.7})});
  scene::Obstacle plate;
  plate.name = "plate";
  plate.shape = box({0.503, -1, -0.1}, {0.504, 1, 1.1});
  scene.obstacles = {plate};
  const auto fluid = make_particle_fluid(scene);
  flow(*fluid, 0, 1);
  EXPECT_LT(fastest(*fluid), 0.02);
  for (const Vec3f& x : fluid->positions())
    ASSERT_LT(x.x(), 0.504F);
}

TEST(TreeInterior, refuses_bytes_that_do_not_fit) {
  const scene::Scene scene = tank_of(2, 1.0 / 64, 4, {layer(0.6)});
  const auto fluid = make_particle_fluid(scene);
  flow(*fluid, 0, 0.1);
  std::vector<std::byte> saved = fluid->save();
  saved.resize(saved.size() - 8);
  const auto other = make_particle_fluid(scene, Start::to_restore);
  ByteReader in(saved);
  EXPECT_FALSE(other->restore(in));
}

}  // namespace
}  // namespace sluice::fluid::adaptive
