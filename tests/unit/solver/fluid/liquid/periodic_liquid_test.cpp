// SPDX-License-Identifier: Apache-2.0
// Incompressible liquids in a domain that is one of an endless row.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "solver/fluid/liquid/grid_fluid.h"
#include "tests/unit/solver/fluid/same_bits.h"
#include "tests/unit/solver/fluid/scenes.h"

namespace sluice::fluid::grid::periodic_liquid_test {
namespace {

using test::box;
using test::sphere;
using test::tank;

constexpr double cell = 0.02;
constexpr std::array transfers{scene::Transfer::apic, scene::Transfer::flip, scene::Transfer::pic};

// [m] Along x, as short as it may be: two tiles.
constexpr double period_of(int dimensions) { return (dimensions == 3 ? 16 : 32) * cell; }

// A tank that is periodic along x.
scene::Scene channel(int dimensions, const geometry::Shape& region) {
  scene::Scene scene = tank({period_of(dimensions), 8 * cell, 20 * cell}, cell, region);
  scene.grid.dimensions = dimensions;
  scene.grid.solver = scene::FluidSolver::incompressible;
  scene.grid.sides[0].fill(scene::Side::periodic);
  scene.grid.cfl = 2;
  scene.fluids[0].dynamic_viscosity = 0;
  return scene;
}

geometry::Shape everywhere() { return box({-1, -1, -1}, {9, 9, 9}); }

class Flowing {
 public:
  explicit Flowing(const scene::Scene& scene)
      : gravity_(scene.gravity), fluid_(make_particle_fluid(scene)) {}

  void step(double h) {
    fluid_->advance_velocities(h, gravity_);
    ASSERT_EQ(fluid_->first_not_finite(), -1);
    fluid_->commit();
    time_ += h;
    const Exchange exchange = fluid_->exchange(time_, [](const Vec3&) { return true; });
    emitted_ += exchange.emitted_count;
    removed_ += exchange.removed_count;
  }
  void run(double seconds, double longest = 1.0 / 60) {
    for (const double end = time_ + seconds; time_ < end - 1e-9;)
      step(std::min({longest, fluid_->stable_substep(), end - time_}));
  }

  [[nodiscard]] ParticleFluid& fluid() { return *fluid_; }
  [[nodiscard]] std::int64_t emitted() const { return emitted_; }
  [[nodiscard]] std::int64_t removed() const { return removed_; }

 private:
  Vec3 gravity_;
  std::unique_ptr<ParticleFluid> fluid_;
  double time_ = 0;
  std::int64_t emitted_ = 0, removed_ = 0;
};

// [m] From one number to another along a periodic axis, the short way.
double way_around(double from, double to, double period) {
  return std::remainder(to - from, period);
}

std::vector<Vec3f> by_row(const ParticleFluid& fluid, std::span<const Vec3f> values) {
  std::vector<Vec3f> rows(values.size());
  fluid.gather_rows(values, rows);
  return rows;
}

// Where on the lattice of seeds each row is, along x after it has been shifted back.
std::vector<std::array<int, 4>> seeds_of(const ParticleFluid& fluid, double shift, double period) {
  const std::vector<Vec3f> positions = by_row(fluid, fluid.positions());
  std::vector<std::array<int, 4>> seeds;
  std::size_t row = 0;
  for (int of = 0; row < positions.size(); ++of) {
    for (auto n = fluid.particle_count(static_cast<std::size_t>(of)); n > 0; --n, ++row) {
      const Vec3f& x = positions[row];
      const double along = std::fmod(static_cast<double>(x[0]) - shift + period, period);
      seeds.push_back({of, static_cast<int>(along / (cell / 2)),
                       static_cast<int>(static_cast<double>(x[1]) / (cell / 2)),
                       static_cast<int>(static_cast<double>(x[2]) / (cell / 2))});
    }
  }
  return seeds;
}

// A wave that breaks over a ball, `shift` further along; what reaches over a side is given there
// again.
scene::Scene wave(int dimensions, double shift, scene::Transfer transfer) {
  const double period = period_of(dimensions);
  scene::Scene scene = channel(dimensions, {});
  scene.grid.transfer = transfer;
  scene.grid.pressure.tolerance = 1e-10;
  scene.fluids[0].regions.clear();
  scene.fluids[0].velocity = Vec3(1.3, 0, -0.4);
  for (const double at : {shift - period, shift, shift + period}) {
    scene.fluids[0].regions.push_back(box({at, -1, 0}, {at + 0.5 * period, 1, 6 * cell}));
    scene.fluids[0].regions.push_back(box({at, -1, 0}, {at + 0.2 * period, 1, 12 * cell}));
    scene::Obstacle ball;
    ball.name = "ball";
    ball.name += std::to_string(scene.obstacles.size());
    ball.shape = sphere({at + 0.8 * period, 4 * cell, 2 * cell}, 2.3 * cell);
    scene.obstacles.push_back(ball);
  }
  return scene;
}

// Runs it at both places, and compares all particles.
void expect_same_elsewhere(const scene::Scene& here, const scene::Scene& there, double shift) {
  const double period = period_of(here.grid.dimensions);
  Flowing a(here), b(there);
  ASSERT_EQ(a.fluid().particle_count(), b.fluid().particle_count());
  std::map<std::array<int, 4>, std::size_t> rows;
  const auto seeds_a = seeds_of(a.fluid(), 0, period), seeds_b = seeds_of(b.fluid(), shift, period);
  for (std::size_t row = 0; row < seeds_a.size(); ++row)
    rows[seeds_a[row]] = row;
  ASSERT_EQ(rows.size(), seeds_a.size());
  for (int n = 0; n < 8; ++n) {
    a.step(0.01);
    b.step(0.01);
  }
  const std::vector<Vec3f> x_a = by_row(a.fluid(), a.fluid().positions()),
                           x_b = by_row(b.fluid(), b.fluid().positions()),
                           v_a = by_row(a.fluid(), a.fluid().velocities()),
                           v_b = by_row(b.fluid(), b.fluid().velocities());
  std::vector<double> ways, velocities;
  for (std::size_t row = 0; row < x_b.size(); ++row) {
    const std::size_t other = rows.at(seeds_b[row]);
    Vec3 way = (x_b[row] - x_a[other]).cast<double>();
    way.x() = way_around(shift, way.x(), period);
    ways.push_back(way.norm());
    velocities.push_back(static_cast<double>((v_b[row] - v_a[other]).norm()));
  }
  // Evening out is solved for coarsely, and where a wave breaks rounding decides whether a cell is
  // liquid.
  const auto of_most = [](std::vector<double>& values) {
    std::ranges::sort(values);
    return values[values.size() * 99 / 100];
  };
  EXPECT_LT(of_most(ways), 0.06 * cell);
  EXPECT_LT(of_most(velocities), 0.02);
}

void expect_same_elsewhere(int dimensions, scene::Transfer transfer) {
  for (const int cells : {1, 5, 13}) {
    const double shift = cells * cell;
    expect_same_elsewhere(wave(dimensions, 0, transfer), wave(dimensions, shift, transfer), shift);
  }
}

// Nothing tells where in the row of domains the sides are.
TEST(PeriodicLiquid, is_the_same_wherever_its_sides_are) {
  for (const scene::Transfer transfer : transfers) {
    expect_same_elsewhere(2, transfer);
    expect_same_elsewhere(3, transfer);
  }
}

TEST(PeriodicLiquid, that_is_viscous_is_the_same_wherever_its_sides_are) {
  for (const int dimensions : {2, 3}) {
    const auto honey = [&](double shift) {
      scene::Scene scene = wave(dimensions, shift, scene::Transfer::apic);
      scene.grid.wall = scene::WallCondition::no_slip;
      for (scene::Obstacle& obstacle : scene.obstacles)
        obstacle.wall = scene::WallCondition::no_slip;
      scene.fluids[0].dynamic_viscosity = 20;
      return scene;
    };
    expect_same_elsewhere(honey(0), honey(5 * cell), 5 * cell);
  }
}

// In three dimensions, where more particles share a cell: fewer go other ways where liquids mix.
TEST(PeriodicLiquid, of_two_densities_is_the_same_wherever_its_sides_are) {
  const auto oil_on_water = [](double shift) {
    scene::Scene scene = wave(3, shift, scene::Transfer::apic);
    scene.fluids.push_back(scene.fluids[0]);
    scene.fluids[1].name = "oil";
    scene.fluids[1].density = 300;
    for (geometry::Shape& shape : scene.fluids[1].regions)
      shape.translation.x() += 0.5 * period_of(3);
    return scene;
  };
  expect_same_elsewhere(oil_on_water(0), oil_on_water(5 * cell), 5 * cell);
}

// No side, no wall, no surface is felt. Periodic along all axes that there are,
// or between walls that slip.
TEST(PeriodicLiquid, streams_for_ever_as_fast_as_at_first) {
  for (const int dimensions : {2, 3}) {
    for (const bool has_walls : {false, true}) {
      for (const scene::Transfer transfer : transfers) {
        scene::Scene scene = channel(dimensions, everywhere());
        scene.domain_upper = Vec3::Constant(period_of(dimensions));
        scene.grid.particles_per_axis = dimensions == 3 ? 1 : 2;
        scene.gravity = has_walls ? Vec3(0, 0, -9.81) : Vec3(Vec3::Zero());
        scene.grid.transfer = transfer;
        if (!has_walls) {
          scene.grid.sides[2].fill(scene::Side::periodic);
          if (dimensions == 3) scene.grid.sides[1].fill(scene::Side::periodic);
        }
        const Vec3 velocity = has_walls         ? Vec3(1.7, 0, 0)
                              : dimensions == 3 ? Vec3(1.7, -0.6, 0.9)
                                                : Vec3(1.7, 0, 0.9);
        scene.fluids[0].velocity = velocity;
        Flowing stream(scene);
        const std::vector<Vec3f> start = by_row(stream.fluid(), stream.fluid().positions());
        constexpr double h = 0.03;  // 2.6 cells
        constexpr int steps = 20;
        for (int n = 0; n < steps; ++n)
          stream.step(h);
        const std::vector<Vec3f> end = by_row(stream.fluid(), stream.fluid().positions());
        double slowed = 0, off = 0;
        for (const Vec3f& v : stream.fluid().velocities())
          slowed = std::max(slowed, (v.cast<double>() - velocity).norm());
        for (std::size_t row = 0; row < start.size(); ++row) {
          const Vec3 way = (end[row] - start[row]).cast<double>() - steps * h * velocity;
          for (int axis = 0; axis < (has_walls ? 1 : 3); ++axis)
            off = std::max(off, std::abs(way_around(0, way[axis], period_of(dimensions))));
        }
        EXPECT_LT(slowed, 2e-5);
        EXPECT_LT(off, 3e-3 * cell);
      }
    }
  }
}

TEST(PeriodicLiquid, at_rest_stays_at_rest) {
  for (const int dimensions : {2, 3}) {
    Flowing water(channel(dimensions, box({-1, -1, 0}, {9, 9, 10 * cell})));
    const std::vector<Vec3f> start = by_row(water.fluid(), water.fluid().positions());
    water.run(3);
    const std::vector<Vec3f> end = by_row(water.fluid(), water.fluid().positions());
    std::vector<float> pressures(start.size());
    water.fluid().gather_rows(water.fluid().pressures(), pressures);
    for (std::size_t row = 0; row < start.size(); ++row) {
      ASSERT_LT((end[row] - start[row]).norm(), 1e-5F);
      const double depth = 10 * cell - static_cast<double>(start[row].z());
      if (depth < cell || start[row].z() < static_cast<float>(cell / 2)) continue;
      ASSERT_NEAR(pressures[row], 9810 * depth, 3);
    }
  }
}

// Liquid in the air goes where a stone goes, over the side; and the whole keeps its momentum along
// the row, but for what faces with few particles around them make of pressure.
TEST(PeriodicLiquid, keeps_its_momentum_along_the_row) {
  for (const int dimensions : {2, 3}) {
    scene::Scene scene = channel(dimensions, box({-1, -1, 0}, {9, 9, 8 * cell}));
    scene.fluids[0].regions.push_back(
        sphere({0.9 * period_of(dimensions), 4 * cell, 13 * cell}, 3 * cell));
    scene.fluids[0].velocity = Vec3(1.1, 0, 0);
    Flowing water(scene);
    const double before = water.fluid().momentum().x();
    water.run(0.5);
    EXPECT_GT(water.fluid().kinetic_energy() * water.fluid().mass(0), 0);
    EXPECT_NEAR(water.fluid().momentum().x() / before, 1, 0.01);
  }
}

// Steps of many cells, over more than one period, among obstacles, for as long as it takes to go
// around a hundred times.
TEST(PeriodicLiquid, is_never_lost_nor_outside) {
  for (const int dimensions : {2, 3}) {
    scene::Scene scene = wave(dimensions, 0.3 * cell, scene::Transfer::apic);
    scene.grid.pressure.tolerance = 1e-6;
    scene.gravity = Vec3(20, 0, -9.81);
    Flowing water(scene);
    const std::int64_t count = water.fluid().particle_count();
    const Vec3f upper = scene.domain_upper.cast<float>();
    double farthest = 0;
    for (int n = 0; n < (dimensions == 3 ? 60 : 150); ++n) {
      // Much longer than the solver asks for: once around, and more.
      double fastest = 1;
      for (const Vec3f& v : water.fluid().velocities())
        fastest = std::max(fastest, static_cast<double>(v.norm()));
      const double h = std::min(0.1, 50 * cell / fastest);
      for (const Vec3f& v : water.fluid().velocities())
        farthest = std::max(farthest, h * std::abs(static_cast<double>(v.x())));
      water.step(h);
      ASSERT_EQ(water.fluid().particle_count(), count);
      for (const Vec3f& x : water.fluid().positions()) {
        ASSERT_TRUE((x.array() >= 0).all() && (x.array() <= upper.array()).all()) << x.transpose();
        ASSERT_LT(x.x(), upper.x());
      }
      for (std::size_t i = 0; i < scene.obstacles.size(); ++i) {
        for (const Vec3f& x : water.fluid().positions()) {
          if (dimensions == 2) continue;
          ASSERT_GT(geometry::signed_distance(scene.obstacles[i].shape, x.cast<double>()).distance,
                    -1e-6);
        }
      }
    }
    EXPECT_GT(farthest, period_of(dimensions)) << "hardly goes around";
  }
}

TEST(PeriodicLiquid, has_the_same_bits_on_any_number_of_threads_and_after_a_restore) {
  const auto run = [](ParticleFluid& fluid) {
    for (int n = 0; n < 10; ++n) {
      fluid.advance_velocities(std::min(0.02, fluid.stable_substep()), Vec3(3, 0, -9.81));
      fluid.commit();
      static_cast<void>(fluid.exchange(0.02 * n, [](const Vec3&) { return true; }));
    }
  };
  for (const scene::Transfer transfer : transfers) {
    test::expect_same_bits<GridFluid<2>>(wave(2, cell, transfer), run);
    test::expect_same_bits<GridFluid<3>>(wave(3, cell, transfer), run);
  }
  // Levels of viscosity's multigrid end with a period of three tiles.
  scene::Scene honey = channel(3, box({0, 0, 0}, {0.5, 1, 6 * cell}));
  honey.domain_upper.x() = 48 * cell;
  honey.fluids[0].dynamic_viscosity = 1e4;
  honey.fluids[0].velocity = Vec3(0.3, 0, 0);
  honey.grid.wall = scene::WallCondition::no_slip;
  honey.grid.particles_per_axis = 1;
  test::expect_same_bits<GridFluid<3>>(honey, run);
}

// A jet across the sides, as in the middle; and what goes out by a drain there.
TEST(PeriodicLiquid, comes_in_and_goes_out_at_its_sides) {
  const auto jet = [](double shift) {
    constexpr double period = 16 * cell;
    scene::Scene scene = channel(3, {});
    scene.gravity.setZero();
    scene.fluids[0].regions.clear();
    scene.grid.cfl = 6;
    const auto at = [&](double x) { return std::fmod(x + shift, period); };
    scene::Emitter emitter;
    emitter.name = "tap";
    emitter.shape =
        box({at(4 * cell), 2 * cell, 8 * cell}, {at(4 * cell) + 3 * cell, 6 * cell, 12 * cell});
    emitter.velocity = Vec3(2, 0, 0);
    scene.fluids[0].emitters = {emitter};
    for (const double x : {at(13 * cell) - period, at(13 * cell)}) {
      scene.drains.push_back({box({x, 0, 0}, {x + 2 * cell, 1, 1}), {}});
    }
    Flowing flowing(scene);
    flowing.run(0.3);
    return std::array{flowing.emitted(), flowing.removed(), flowing.fluid().particle_count()};
  };
  const auto inside = jet(0);
  EXPECT_GT(inside[0], 1000);
  EXPECT_GT(inside[1], 500);
  // The emitter's end on the side, and the drain beyond it; the drain across the side.
  for (const int cells : {9, 2}) {
    const auto at_side = jet(cells * cell);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(static_cast<double>(at_side[i]) / static_cast<double>(inside[i]), 1, 0.05)
          << cells << ' ' << i;
  }
}

}  // namespace
}  // namespace sluice::fluid::grid::periodic_liquid_test
