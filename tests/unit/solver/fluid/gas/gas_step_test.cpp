// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/gas/gas_step.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "tests/unit/solver/fluid/scenes.h"

namespace sluice::fluid::grid {
namespace {

constexpr float edge = 0.05F;

// A closed box of cells from 0 on.
template <int D>
GasSettings<D> closed_box(const Cell<D>& cells) {
  GasSettings<D> settings;
  settings.frame.cell_size = edge;
  settings.sides.cells = cells;
  for (auto& axis : settings.sides.is_wall)
    axis = {true, true};
  settings.depth = 0.5;
  settings.pressure = {scene::Preconditioner::multigrid, 1e-6, 1000};
  return settings;
}

template <int D>
Cell<D> cube() {
  Cell<D> cells;
  cells.fill(D == 3 ? 18 : 36);
  return cells;
}

// Balls anywhere, some of them through walls and each other.
std::vector<scene::Obstacle> random_balls(double size, bool moves, std::mt19937& random) {
  std::uniform_real_distribution<double> part(0, 1);
  std::vector<scene::Obstacle> balls(5);
  for (scene::Obstacle& ball : balls) {
    ball.shape = test::sphere(size * Vec3(part(random), part(random), part(random)),
                              size * (0.05 + 0.1 * part(random)));
    if (moves) ball.velocity = Vec3(part(random), part(random), part(random)) - Vec3::Constant(0.5);
  }
  return balls;
}

template <int D>
struct Flux {
  double outflow;  // The root of the sum of squares over all cells.
  double speed;    // The same over all faces.
};

// The flow out of all live cells, as pressure.h has it.
template <int D>
Flux<D> flux(const GasStep<D>& step) {
  const MacGrid<D>& grid = step.grid();
  double outflow = 0, speed = 0;
  for (std::size_t i = 0; i < grid.tiles.count() * tile_size<D>; ++i) {
    if (step.box().live_cells()[i] == 0) continue;
    double sum = 0;
    for (std::size_t axis = 0; axis < D; ++axis) {
      Cell<D> after = grid.tiles.cell(i);
      ++after[axis];
      for (const auto& [face, sign] :
           {std::pair{i, -1.0}, std::pair{grid.tiles.find_cell(after), 1.0}}) {
        const double open = grid.open[axis][face];
        const double velocity = open > 0 ? grid.velocity[axis][face] : 0.0F;
        sum += sign * open * velocity;
        speed += velocity * velocity;
        if (!grid.solid_flow[axis].empty()) sum += sign * grid.solid_flow[axis][face];
      }
    }
    outflow += sum * sum;
  }
  return {std::sqrt(outflow), std::sqrt(speed)};
}

template <int D>
void expect_no_divergence(const GasSettings<D>& settings, bool moves, unsigned seed) {
  std::mt19937 random(seed);
  GasStep<D> step(settings);
  const double size = edge * static_cast<double>(settings.sides.cells[0]);
  std::vector<scene::Obstacle> balls = random_balls(size, moves, random);
  step.set_obstacles(balls);
  step.start([&](const Vec3&) { return settings.gas.velocity; });
  // The outflow that may be left, as a part of the speeds. It is more than the tolerance: the last
  // pressure is taken back before a solve, and velocities are floats.
  constexpr double most = 10 * 1e-6;
  double at_start = 0;
  for (const std::uint8_t is_live : step.box().live_cells())
    at_start += is_live * settings.gas.velocity.squaredNorm();
  EXPECT_LT(flux(step).outflow, most * std::sqrt(at_start));
  const Push push{{0.3 * size, 0.5, 0.4 * size}, 0.3 * size, {20, -30, 40}};
  for (int n = 0; n < 6; ++n) {
    const double h = n % 2 == 0 ? 0.02 : 0.01;
    for (scene::Obstacle& ball : balls)
      ball.shape.translation += h * ball.velocity;
    step.set_obstacles(balls);
    const SolveReport report = step.advance({.duration = h,
                                             .time = 0.02 * n,
                                             .frame_duration = 0.02,
                                             .gravity = {0, 0, -9.81},
                                             .pushes = std::span(&push, 1),
                                             .strokes = {}});
    EXPECT_TRUE(report.converged);
    EXPECT_LE(report.residual, 1e-6);
    const Flux<D> after = flux(step);
    EXPECT_GT(after.speed, 1);
    EXPECT_LT(after.outflow, most * after.speed) << n;
  }
}

template <int D>
void expect_no_divergence_of_all() {
  for (const unsigned seed : {1U, 2U}) {
    GasSettings<D> settings = closed_box<D>(cube<D>());
    settings.gas.velocity = {3, -1, 2};
    expect_no_divergence<D>(settings, false, seed);
    settings.sides.is_wall[0][1] = false;
    settings.sides.is_wall[D - 1] = {false, false};
    expect_no_divergence<D>(settings, true, seed);
    settings.sides.velocity[0][0] = {{2, 0, 0}, seed == 1};
    settings.sides.wall = scene::WallCondition::no_slip;
    settings.gas.dynamic_viscosity = 0.05;
    settings.gas.vorticity_confinement = 1;
    expect_no_divergence<D>(settings, true, seed);
  }
}

TEST(GasStep, leaves_no_more_divergence_than_the_tolerance) {
  expect_no_divergence_of_all<2>();
  expect_no_divergence_of_all<3>();
}

// What is known of solids is kept while they stand still: a ball sets off, and comes to rest again.
TEST(GasStep, leaves_no_divergence_around_what_sets_off_and_stops) {
  GasSettings<2> settings = closed_box<2>(cube<2>());
  settings.pressure.preconditioner = scene::Preconditioner::automatic;
  settings.sides.is_wall[1][1] = false;
  settings.gas.velocity = {3, -1, 2};
  GasStep<2> step(settings);
  scene::Obstacle ball;
  ball.shape = test::sphere({0.7, 0.5, 0.8}, 0.3);
  step.set_obstacles(std::span(&ball, 1));
  step.start([&](const Vec3&) { return settings.gas.velocity; });
  for (int n = 0; n < 9; ++n) {
    ball.velocity = n / 3 == 1 ? Vec3(3, 0, 2) : Vec3(0, 0, 0);
    ball.shape.translation += 0.02 * ball.velocity;
    step.set_obstacles(std::span(&ball, 1));
    const SolveReport report = step.advance({.duration = 0.02,
                                             .time = 0.02 * n,
                                             .frame_duration = 0.02,
                                             .gravity = {0, 0, -9.81},
                                             .pushes = {},
                                             .strokes = {}});
    EXPECT_TRUE(report.converged);
    const Flux<2> after = flux(step);
    EXPECT_LT(after.outflow, 1e-5 * after.speed) << n;
  }
}

// Velocities after some steps; `most` iterations each.
template <int D>
typename MacGrid<D>::template Faces<float> flow_by(scene::Preconditioner kind, int most,
                                                   GasSettings<D> settings) {
  settings.pressure.preconditioner = kind;
  settings.gas.vorticity_confinement = 1;
  GasStep<D> step(settings);
  step.start([&](const Vec3& x) { return Vec3(2 * std::sin(5 * x.z()), x.x(), 2); });
  const Push push{{0.5, 0.5, 0.6}, 0.4, {20, -30, 40}};
  for (int n = 0; n < 5; ++n) {
    const SolveReport report = step.advance({.duration = 0.02,
                                             .time = 0.02 * n,
                                             .frame_duration = 0.02,
                                             .gravity = {0, 0, -9.81},
                                             .pushes = std::span(&push, 1),
                                             .strokes = {}});
    EXPECT_TRUE(report.converged);
    EXPECT_LE(report.iterations, most);
    const Flux<D> after = flux(step);
    EXPECT_GT(after.speed, 1);
    EXPECT_LT(after.outflow, 1e-5 * after.speed) << n;
  }
  return step.grid().velocity;
}

// With numbers of cells that have factors of 2, 3, 5 and 7, a prime one, and endless axes. Oracle:
// multigrid. Velocities of some m/s; both to the tolerance.
template <int D>
void expect_same_flow_without_solids(Cell<D> cells) {
  for (int kind = 0; kind < 4; ++kind) {
    GasSettings<D> settings = closed_box<D>(cells);
    settings.pressure.tolerance = 1e-8;
    settings.pressure.max_iterations = 100;
    if (kind == 1) settings.sides.is_wall[0][1] = settings.sides.is_wall[D - 1][0] = false;
    if (kind == 2) {
      settings.sides.is_wall[D - 1] = {false, false};
      settings.sides.velocity[0][0] = {{2, 0, 0}, true};
    }
    if (kind == 3) {
      settings.sides.is_periodic.fill(true);
      settings.sides.is_wall = {};
      settings.sides.cells.fill(32);
    }
    const auto by_multigrid = flow_by<D>(scene::Preconditioner::multigrid, 100, settings);
    for (const auto fast :
         {scene::Preconditioner::fast_poisson, scene::Preconditioner::automatic}) {
      const auto flow = flow_by<D>(fast, 3, settings);
      for (std::size_t axis = 0; axis < D; ++axis) {
        for (std::size_t face = 0; face < flow[axis].size(); ++face)
          ASSERT_NEAR(flow[axis][face], by_multigrid[axis][face], 2e-4) << kind;
      }
    }
  }
}

TEST(GasStep, flows_the_same_by_fast_transforms_where_nothing_is_in_it) {
  expect_same_flow_without_solids<2>({36, 35});
  expect_same_flow_without_solids<2>({29, 31});
  expect_same_flow_without_solids<3>({18, 20, 21});
}

// Gas that comes in by an inlet goes through each section of a channel, and out at its end: past a
// ball too.
template <int D>
void expect_same_through_all_sections(bool is_parabolic) {
  Cell<D> cells = cube<D>();
  cells[0] *= 2;
  GasSettings<D> settings = closed_box<D>(cells);
  settings.sides.is_wall[0][1] = false;
  settings.sides.velocity[0][0] = {{1.5, 0, 0}, is_parabolic};
  settings.sides.wall = scene::WallCondition::no_slip;
  settings.gas.dynamic_viscosity = 0.01;
  GasStep<D> step(settings);
  scene::Obstacle ball;
  ball.wall = scene::WallCondition::no_slip;
  const double width = edge * static_cast<double>(cells[1]);
  ball.shape = test::sphere({0.6 * width, D == 3 ? 0.45 * width : 0.5, 0.55 * width}, 0.2 * width);
  step.set_obstacles(std::span(&ball, 1));
  step.start([&](const Vec3&) { return settings.gas.velocity; });
  for (int n = 0; n < 10; ++n) {
    step.advance({.duration = 0.02,
                  .time = 0.02 * n,
                  .frame_duration = 0.02,
                  .gravity = Vec3::Zero(),
                  .pushes = {},
                  .strokes = {}});
  }
  double inflow = 0;  // The sum of the profile over the inlet's faces.
  Array<double> through(static_cast<std::size_t>(cells[0]) + 1, 0);
  const MacGrid<D>& grid = step.grid();
  for (std::size_t i = 0; i < grid.tiles.count() * tile_size<D>; ++i) {
    const Cell<D> face = grid.tiles.cell(i);
    bool is_inside = face[0] >= 0 && face[0] <= cells[0];
    double profile = 1.5;
    for (std::size_t axis = 1; axis < D; ++axis) {
      is_inside = is_inside && face[axis] >= 0 && face[axis] < cells[axis];
      const double part = (face[axis] + 0.5) / cells[axis];
      if (is_parabolic) profile *= 4 * part * (1 - part);
    }
    if (!is_inside) continue;
    if (face[0] == 0) inflow += profile;
    const double open = face[0] == 0 ? 1 : grid.open[0][i];
    through[static_cast<std::size_t>(face[0])] += open * grid.velocity[0][i];
  }
  EXPECT_GT(inflow, 0);
  for (const double flow : through)
    EXPECT_NEAR(flow, inflow, 1e-4 * inflow);
}

TEST(GasStep, lets_out_what_comes_in) {
  for (const bool is_parabolic : {false, true}) {
    expect_same_through_all_sections<2>(is_parabolic);
    expect_same_through_all_sections<3>(is_parabolic);
  }
}

// 100 cells a step, whichever way, over and over.
template <int D>
void expect_finite(scene::Advection method) {
  GasSettings<D> settings = closed_box<D>(cube<D>());
  settings.gas.advection = method;
  settings.gas.velocity = {30, 10, -20};
  settings.gas.vorticity_confinement = 2;
  settings.sides.is_wall[0] = {false, false};
  std::mt19937 random(4);
  GasStep<D> step(settings);
  const std::vector<scene::Obstacle> balls = random_balls(0.9, false, random);
  step.set_obstacles(balls);
  step.start([&](const Vec3&) { return settings.gas.velocity; });
  for (int n = 0; n < 8; ++n) {
    float fastest = 0;
    for (std::size_t axis = 0; axis < D; ++axis) {
      for (const float v : step.grid().velocity[axis])
        fastest = std::max(fastest, std::abs(v));
    }
    ASSERT_GT(fastest, 0);
    const SolveReport report = step.advance({.duration = 100 * static_cast<double>(edge / fastest),
                                             .time = 0,
                                             .frame_duration = 1,
                                             .gravity = {0, 0, -9.81},
                                             .pushes = {},
                                             .strokes = {}});
    ASSERT_TRUE(std::isfinite(report.residual));
    for (std::size_t axis = 0; axis < D; ++axis) {
      for (const float v : step.grid().velocity[axis])
        ASSERT_TRUE(std::isfinite(v) && std::abs(v) < 1e4F);
    }
  }
}

TEST(GasStep, of_100_cells_stays_finite) {
  for (const auto method :
       {scene::Advection::cubic, scene::Advection::maccormack, scene::Advection::semi_lagrangian}) {
    expect_finite<2>(method);
    expect_finite<3>(method);
  }
}

// A box that turns as a whole, sides open: smoke of a cube comes from where the way back, which is
// linear, leads, and its middle is where that leads from.
template <int D>
void expect_ways_of(scene::PathIntegrator integrator) {
  GasSettings<D> settings = closed_box<D>(cube<D>());
  for (auto& axis : settings.sides.is_wall)
    axis = {false, false};
  settings.path_integrator = integrator;
  const double size = edge * static_cast<double>(settings.sides.cells[0]);
  const Vec3 middle = size / 2 * Vec3(1, D == 3 ? 1 : 0, 1), omega(0, -1, 0);
  const Vec3 from = middle + size * Vec3(0.25, 0, 0);
  scene::GasContent smoke;
  smoke.smoke = 1;
  const Vec3 half = size / 9 * Vec3(1, 0, 1) + Vec3(0, size, 0);
  settings.gas.regions = {{test::box(from - half, from + half), smoke}};
  GasStep<D> step(settings);
  step.start([&](const Vec3& x) { return Vec3(omega.cross(x - middle)); });
  const double angle = 0.9;
  step.advance({.duration = angle,
                .time = 0,
                .frame_duration = angle,
                .gravity = Vec3::Zero(),
                .pushes = {},
                .strokes = {}});
  Vec3 sum = Vec3::Zero();
  double amount = 0;
  const Tiles<D>& tiles = step.grid().tiles;
  for (std::size_t i = 0; i < tiles.count() * tile_size<D>; ++i) {
    if (step.box().live_cells()[i] == 0) continue;
    const double value = step.values(0)[i];
    sum += value * settings.frame.place(tiles.cell(i), Vec<D>::Constant(0.5F), 0);
    amount += value;
  }
  // In the plane of x and z: I - A + A^2/2 (- A^3/6), A^2 = -angle^2.
  const double a = angle, third = integrator == scene::PathIntegrator::rk3 ? a * a * a / 6 : 0;
  Eigen::Matrix2d back;
  const double along = 1 - a * a / 2, across = a - third;
  back << along, across, -across, along;
  const Eigen::Vector2d to = back.inverse() * Eigen::Vector2d(from.x() - middle.x(), 0);
  EXPECT_NEAR(sum.x() / amount - middle.x(), to[0], 0.1 * edge);
  EXPECT_NEAR(sum.z() / amount - middle.z(), to[1], 0.1 * edge);
}

TEST(GasStep, follows_the_flow_by_the_formula_that_it_is_asked_for) {
  for (const auto integrator : {scene::PathIntegrator::rk2, scene::PathIntegrator::rk3}) {
    expect_ways_of<2>(integrator);
    expect_ways_of<3>(integrator);
  }
}

}  // namespace
}  // namespace sluice::fluid::grid
