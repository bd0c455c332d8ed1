// SPDX-License-Identifier: Apache-2.0
// Cells of many sizes: whole substeps of a gas and of a liquid over those on equal cells, and the
// pressure's system over a tree. tests/bench/report adaptive prints the figures.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "solver/fluid/abilities.h"
#include "solver/fluid/gas.h"
#include "solver/fluid/octree/tree_multigrid.h"
#include "solver/fluid/octree/tree_poisson.h"
#include "solver/fluid/particle_fluid.h"
#include "solver/fluid/pressure/conjugate_gradients.h"
#include "solver/parallel/thread_limit.h"
#include "solver/stages.h"
#include "tests/bench/resident_bytes.h"
#include "tests/unit/solver/fluid/octree/tree_systems.h"

namespace sluice::fluid::octree {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Hot smoke that rises in a box, half as wide as high, with an open top; and a ball in its way. On
// equal cells for `levels` 0.
scene::Scene plume(int cells, int levels, bool has_ball) {
  scene::Scene scene;
  scene.domain_lower = Vec3::Zero();
  scene.domain_upper = {1, 1, 2};
  scene.grid.cell_size = 1.0 / cells;
  scene.grid.cfl = 2;
  scene.grid.pressure.tolerance = 1e-4;
  scene.grid.sides[2][1] = scene::Side::open;
  if (levels > 0) scene.grid.adaptive.emplace().levels = levels;
  scene.gas.emplace();
  scene.gas->name = "air";
  scene.gas->carries = {scene::Carried::smoke, scene::Carried::temperature};
  scene.gas->vorticity_confinement = 0.2;
  scene::GasSource& source = scene.gas->sources.emplace_back();
  source.shape.form = geometry::Sphere{0.12};
  source.shape.translation = Vec3(0.5, 0.5, 0.25);
  source.content.smoke = 1;
  source.content.temperature = 400;
  if (!has_ball) return scene;
  scene::Obstacle& ball = scene.obstacles.emplace_back();
  ball.name = "ball";
  ball.shape.form = geometry::Sphere{0.16};
  ball.shape.translation = Vec3(0.55, 0.5, 0.8);
  return scene;
}

std::int64_t cell_count(const Gas& gas) {
  const auto counts = dynamic_cast<const DividesCells&>(gas).cell_counts();
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

// Half a second of the plume, range(0) cells wide, on range(1) levels and on equal cells, turn by
// turn, on two threads; with the ball if range(2). From when the smoke has left its source.
void over_equal_cells(benchmark::State& state) {
  constexpr double begin = 0.3, end = 0.8;
  const auto cells = static_cast<int>(state.range(0)), levels = static_cast<int>(state.range(1));
  const bool has_ball = state.range(2) != 0;
  parallel::ThreadLimit threads(2);
  threads.run([&] {
    const double before = bench::resident_bytes();
    const auto tree = make_gas(plume(cells, levels, has_ball));
    StageTimer timer(now);
    double of_tree = 0, of_equal = 0, time = 0;
    const auto step = [&](Gas& gas, double h) {
      const double start = now();
      timer.restart();
      if (!gas.advance({.duration = h, .time = time, .gravity = {0, 0, -9.81}, .pushes = {}},
                       &timer))
        state.SkipWithError("not finite");
      return now() - start;
    };
    while (time < begin) {
      const double h = std::min(tree->stable_substep(), 0.05);
      step(*tree, h);
      time += h;
    }
    const double bytes = bench::resident_bytes() - before;
    const auto equal = make_gas(plume(cells, 0, has_ball));
    for (double t = 0; t < begin;) {
      const double h = std::min(equal->stable_substep(), 0.05);
      step(*equal, h);
      t += h;
    }
    double sorting = 0, sum_of_cells = 0;
    int steps = 0;
    for (auto _ : state) {
      while (time < end) {
        const double h = std::min({tree->stable_substep(), equal->stable_substep(), 0.05});
        of_tree += step(*tree, h);
        sorting += timer.seconds()[static_cast<std::size_t>(Stage::fluid_sorting)];
        of_equal += step(*equal, h);
        sum_of_cells += static_cast<double>(cell_count(*tree));
        time += h;
        ++steps;
      }
      state.SetIterationTime(of_tree);
    }
    const auto all = static_cast<double>(equal->lattice().cell_count());
    state.counters["faster"] = of_equal / of_tree;
    state.counters["slower"] = of_tree / of_equal;
    state.counters["fewer_cells"] = all * steps / sum_of_cells;
    state.counters["adapting"] = sorting / of_tree;
    state.counters["bytes_a_cell"] = bytes / static_cast<double>(cell_count(*tree));
    state.counters["energy"] = tree->kinetic_energy() / equal->kinetic_energy();
  });
}
BENCHMARK(over_equal_cells)
    ->Args({64, 5, 0})
    ->Args({64, 5, 1})
    ->Args({64, 1, 0})
    ->Args({128, 6, 0})
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

// A drop above a tank of water that is 0.7 m deep, of cells of 1/cells m; equal ones for `levels`
// 0.
scene::Scene drop_above_tank(int cells, int levels) {
  scene::Scene scene;
  scene.domain_lower = Vec3::Zero();
  scene.domain_upper = {1, 1, 1};
  scene.grid.solver = scene::FluidSolver::incompressible;
  scene.grid.cell_size = 1.0 / cells;
  scene.grid.cfl = 2;
  scene.grid.max_particles = 100'000'000;
  if (levels > 0) scene.grid.adaptive.emplace().levels = levels;
  scene::Fluid& water = scene.fluids.emplace_back();
  water.name = "water";
  water.dynamic_viscosity = 0;
  geometry::Shape& tank = water.regions.emplace_back();
  tank.form = geometry::Box{{0.5, 0.5, 0.35}};
  tank.translation = {0.5, 0.5, 0.35};
  geometry::Shape& drop = water.regions.emplace_back();
  drop.form = geometry::Sphere{0.08};
  drop.translation = {0.5, 0.5, 0.8};
  return scene;
}

// Substeps of the drop, range(0) cells wide, on range(1) levels and on equal cells, turn by turn,
// on two threads, from 0.1 s on to range(2) ms, when it has fallen into the tank.
void drop_over_equal_cells(benchmark::State& state) {
  constexpr double begin = 0.1;
  const auto cells = static_cast<int>(state.range(0)), levels = static_cast<int>(state.range(1));
  const double end = static_cast<double>(state.range(2)) / 1000;
  parallel::ThreadLimit threads(2);
  threads.run([&] {
    const auto tree = make_particle_fluid(drop_above_tank(cells, levels));
    const auto equal = make_particle_fluid(drop_above_tank(cells, 0));
    double time = 0;
    const auto step = [&](ParticleFluid& fluid, double h) {
      const double start = now();
      if (!fluid.advance({.duration = h, .time = time, .gravity = {0, 0, -9.81}, .pushes = {}}))
        state.SkipWithError("not finite");
      fluid.commit();
      static_cast<void>(fluid.exchange(time + h, [](const Vec3&) { return true; }));
      return now() - start;
    };
    const auto longest = [&] {
      return std::min({tree->stable_substep(), equal->stable_substep(), 1.0 / 30});
    };
    for (double h = longest(); time < begin; time += h, h = longest()) {
      step(*tree, h);
      step(*equal, h);
    }
    double of_tree = 0, of_equal = 0, particles = 0, sum_of_cells = 0;
    int steps = 0;
    for (auto _ : state) {
      for (double h = longest(); time < end; time += h, h = longest()) {
        of_tree += step(*tree, h);
        of_equal += step(*equal, h);
        particles += static_cast<double>(tree->particle_count());
        const auto counts = as<DividesCells>(tree.get())->cell_counts();
        sum_of_cells += std::accumulate(counts.begin(), counts.end(), 0.0);
        ++steps;
      }
      state.SetIterationTime(of_tree);
    }
    const double all = static_cast<double>(equal->particle_count()) * steps;
    state.counters["faster"] = of_equal / of_tree;
    state.counters["fewer_particles"] = all / particles;
    state.counters["fewer_cells"] = all / 8 / sum_of_cells;
    state.counters["energy"] = tree->kinetic_energy() / equal->kinetic_energy();
  });
}
BENCHMARK(drop_over_equal_cells)
    ->Args({64, 5, 400})
    ->Args({128, 6, 300})
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

// A cube of 128 cells along each edge, of level 0 in a ball and of level `outer` around it.
Tree<3> ball_of_small_cells(double radius, std::size_t outer) {
  constexpr std::int32_t edge = 128;
  std::vector<Cells<3>> wanted(outer + 1);
  for (std::size_t k = 1; k <= outer; ++k) {
    std::vector<Cell<3>> cells;
    const std::int32_t count = edge >> k;
    const double size = std::ldexp(1.0, static_cast<int>(k));
    for (std::int32_t z = 0; z < count; ++z) {
      for (std::int32_t y = 0; y < count; ++y) {
        for (std::int32_t x = 0; x < count; ++x) {
          const Vec3 middle = size * (Vec3(x, y, z) + Vec3::Constant(0.5));
          if ((middle - Vec3::Constant(0.5 * edge)).norm() < radius) cells.push_back({x, y, z});
        }
      }
    }
    wanted[k] = gathered<3>(cells);
  }
  return Tree<3>({edge, edge, edge}, wanted);
}

// The pressure of some 460,000 leaves to 1e-6, on range(0) threads, where leaves of level 0 touch
// those of level range(1): the time to solve, and to make the system.
void projection(benchmark::State& state) {
  parallel::ThreadLimit threads(static_cast<int>(state.range(0)));
  threads.run([&] {
    const Tree<3> tree = ball_of_small_cells(47, static_cast<std::size_t>(state.range(1)));
    TreeWeights<3> weights = open_weights(tree);
    std::mt19937 random(1);
    std::uniform_real_distribution<double> part(-1, 1);
    Array<double> source(tree.array_size()), x(tree.array_size());
    double sum = 0;
    for_each_leaf(tree, [&](std::size_t, std::size_t place, const Cell<3>&) {
      source[place] = part(random);
      sum += source[place];
    });
    for_each_leaf(tree, [&](std::size_t, std::size_t place, const Cell<3>&) {
      source[place] -= sum / static_cast<double>(tree.leaf_count());
    });
    grid::ConjugateGradients<3, TreePoisson<3>> solver;
    double making = 0, iterations = 0;
    for (auto _ : state) {
      const double start = now();
      const UnevenFaces uneven = uneven_faces<3>(tree);
      const TreePoisson<3> system(tree, uneven, weights, Gradient::shared);
      TreeMultigrid<3> multigrid(tree, uneven, weights);
      Array<double> rest = source;
      const double made = now();
      const grid::SolveReport report = solver.solve(system, multigrid, rest, 1e-6, 100, x);
      state.SetIterationTime(now() - made);
      making += made - start;
      iterations = report.iterations;
    }
    state.counters["leaves"] = static_cast<double>(tree.leaf_count());
    state.counters["iterations"] = iterations;
    state.counters["making"] = making / static_cast<double>(state.iterations());
  });
}
BENCHMARK(projection)
    ->Args({1, 2})
    ->Args({2, 2})
    ->Args({2, 1})
    ->Args({2, 5})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sluice::fluid::octree
