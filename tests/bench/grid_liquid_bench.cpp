// SPDX-License-Identifier: Apache-2.0
// The incompressible liquid: its pressure, and whole steps. tests/bench/report grid prints the
// figures.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "solver/fluid/immersed/immersed_bodies.h"
#include "solver/fluid/liquid/liquid_step.h"
#include "solver/fluid/obstacles/solid_faces.h"
#include "solver/fluid/particle_fluid.h"
#include "solver/fluid/particles/particle_order.h"
#include "solver/fluid/pressure/pressure.h"
#include "solver/fluid/viscosity/viscosity.h"
#include "solver/geometry/tessellate_shape.h"
#include "solver/parallel/thread_limit.h"
#include "tests/bench/resident_bytes.h"

namespace sluice::fluid::grid {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Sides<3> walls(std::int32_t n) {
  Sides<3> sides;
  sides.cells.fill(n);
  for (auto& axis : sides.is_wall)
    axis = {true, true};
  return sides;
}

// A box of n^3 cells, half full, with a ball in the liquid or without; velocities at random on top
// of gravity's.
MacGrid<3> half_full_box(std::int32_t n, bool with_ball = true) {
  std::vector<Cell<3>> tiles;
  const std::int32_t edge = n / tile_edge<3>;
  for (std::int32_t z = -1; z <= edge / 2; ++z) {
    for (std::int32_t y = -1; y <= edge; ++y) {
      for (std::int32_t x = -1; x <= edge; ++x)
        tiles.push_back({x, y, z});
    }
  }
  MacGrid<3> grid;
  grid.tiles = Tiles<3>(tiles);
  SolidFaces<3> solids({1, Vec3f::Zero()}, walls(n), 0);
  scene::Obstacle ball;
  ball.shape.form = geometry::Sphere{0.232 * n};
  ball.shape.translation = {0.5 * n, 0.5 * n, 0.25 * n};
  const std::vector<scene::Obstacle> obstacles{ball};
  if (with_ball) solids.set_obstacles(obstacles);
  solids.find(grid);
  const std::size_t size = grid.tiles.array_size();
  grid.density.assign(size, 1);
  grid.distance.assign(size, 1);
  grid.is_full.assign(grid.tiles.count() + 1, 0);
  std::mt19937 random(1);
  std::uniform_real_distribution<float> part(-0.01F, 0.01F);
  for (auto& of_axis : grid.velocity)
    of_axis.assign(size, 0);
  for (std::size_t i = 0; i < size - tile_size<3>; ++i) {
    const std::int32_t z = grid.tiles.cell(i)[2];
    grid.distance[i] = static_cast<float>(z) + 0.5F - static_cast<float>(n) / 2;
    for (std::size_t axis = 0; axis < 3; ++axis)
      grid.velocity[axis][i] = part(random) - (axis == 2 ? 0.1F : 0);
  }
  for (std::size_t tile = 0; tile < grid.tiles.count(); ++tile) {
    const float* const first = grid.distance.data() + tile * tile_size<3>;
    grid.is_full[tile] =
        std::all_of(first, first + tile_size<3>, [](float d) { return d < 0; }) ? 1 : 0;
  }
  return grid;
}

struct Timed {
  double seconds;
  SolveReport report;
};

Timed project(const MacGrid<3>& grid, scene::Preconditioner preconditioner,
              PressureSolver<3>& solver) {
  MacGrid<3> copy = grid;
  const double start = now();
  const SolveReport report = solver.project({preconditioner, 1e-6, 1000}, copy);
  return {now() - start, report};
}

// Set-up and solve, on range(1) threads, as in every substep but the first, which gets the memory.
void pressure(benchmark::State& state) {
  parallel::ThreadLimit threads(static_cast<int>(state.range(1)));
  threads.run([&] {
    const MacGrid<3> grid = half_full_box(static_cast<std::int32_t>(state.range(0)));
    PressureSolver<3> solver;
    project(grid, scene::Preconditioner::multigrid, solver);
    for (auto _ : state) {
      const Timed timed = project(grid, scene::Preconditioner::multigrid, solver);
      state.SetIterationTime(timed.seconds);
      state.counters["iterations"] = timed.report.iterations;
      if (!timed.report.converged) state.SkipWithError("not converged");
    }
  });
}
BENCHMARK(pressure)
    ->Args({32, 1})
    ->Args({64, 1})
    ->Args({128, 1})
    ->Args({128, 2})
    ->Args({256, 2})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

// The same by an incomplete factor, and how many times as long that takes, one after the other.
void over_incomplete_cholesky(benchmark::State& state) {
  parallel::ThreadLimit threads(1);
  threads.run([&] {
    const MacGrid<3> grid = half_full_box(128);
    PressureSolver<3> solver;
    for (auto _ : state) {
      const Timed slow = project(grid, scene::Preconditioner::incomplete_cholesky, solver);
      const Timed fast = project(grid, scene::Preconditioner::multigrid, solver);
      state.SetIterationTime(slow.seconds);
      state.counters["ratio"] = slow.seconds / fast.seconds;
      state.counters["iterations"] = slow.report.iterations;
    }
  });
}
BENCHMARK(over_incomplete_cholesky)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);

// [bytes] of memory that a system of 256^3 cells, its solver and its pressure take, a cell.
void pressure_bytes(benchmark::State& state) {
  parallel::ThreadLimit threads(2);
  threads.run([&] {
    MacGrid<3> grid = half_full_box(256);
    const double before = bench::resident_bytes();
    PressureSolver<3> solver;
    for (auto _ : state)
      solver.project({}, grid);
    const double cells = std::pow(256.0, 3) / 2;  // Cells of liquid, the ball's among them.
    state.counters["bytes_a_cell"] = (bench::resident_bytes() - before) / cells;
  });
}
BENCHMARK(pressure_bytes)->Iterations(1)->Unit(benchmark::kMillisecond);

// Slanted bricks, `along` of them along each axis but z, in a box of n cells that
// is half full, as dense as `relative_density` says.
template <int D>
class Bricks {
 public:
  Bricks(std::int32_t n, std::int32_t along, double relative_density) {
    geometry::Shape shape;
    const double edge = 0.2 * n / along;
    shape.form = geometry::Box{{edge, D == 2 ? 0.5 : edge, edge}};
    for (std::int32_t i = 0; i < (D == 2 ? 1 : along) * along; ++i) {
      shape.translation = {n * (i % along + 0.5) / along,
                           D == 2 ? 0 : n * (i / along + 0.5) / along, 0.25 * n + 0.3 * i};
      shape.rotation =
          Eigen::AngleAxisd(0.3 + 0.1 * i, D == 2 ? Vec3::UnitY() : Vec3(1, 2, 3).normalized())
              .toRotationMatrix();
      meshes_.push_back(geometry::tessellate_shape(shape, 2, 100'000).value());
    }
    for (const geometry::TriangleMesh& mesh : meshes_) {
      Vec3 centre = Vec3::Zero();
      for (const Vec3& x : mesh.vertices)
        centre += x / static_cast<double>(mesh.vertices.size());
      const double volume = 4 * edge * edge * (D == 2 ? 1 : 2 * edge);
      const double mass = relative_density * volume;
      all.push_back({.vertices = mesh.vertices,
                     .triangles = mesh.triangles,
                     .centre = centre,
                     .velocity = {0, 0, -0.1},
                     .angular_velocity = Vec3::Zero(),
                     .inverse_mass = 1 / mass,
                     .inverse_inertia = Mat3::Identity() / (mass * edge * edge)});
    }
  }

  std::vector<ImmersedBody> all;

 private:
  std::vector<geometry::TriangleMesh> meshes_;
};

// A system with range(0)^2 bodies of range(1) hundredths of the liquid's density, and how many
// times as long that takes as with the same ones that do not answer, one after the other.
void over_still_bodies(benchmark::State& state) {
  parallel::ThreadLimit threads(1);
  threads.run([&] {
    const MacGrid<3> grid = half_full_box(128, false);
    const Bricks<3> bricks(128, static_cast<std::int32_t>(state.range(0)),
                           static_cast<double>(state.range(1)) / 100);
    ImmersedBodies<3> bodies({1, Vec3f::Zero()}, {}, 1);
    PressureSolver<3> solver;
    const auto solve = [&](bool answers, SolveReport& report) {
      std::vector<ImmersedBody> all = bricks.all;
      for (ImmersedBody& body : all) {
        if (answers) continue;
        body.inverse_mass = 0;
        body.inverse_inertia.setZero();
      }
      MacGrid<3> copy = grid;
      bodies.set(all);
      double start = now();
      bodies.cover(copy);
      state.counters["cover_ms"] = 1000 * (now() - start);
      start = now();
      report = solver.project({scene::Preconditioner::multigrid, 1e-6, 1000}, copy, &bodies);
      if (!report.converged) state.SkipWithError("not converged");
      return now() - start;
    };
    SolveReport with, without;
    solve(true, with);
    for (auto _ : state) {
      const double still = solve(false, without), moved = solve(true, with);
      state.SetIterationTime(moved);
      state.counters["ratio"] = moved / still;
      state.counters["iterations"] = with.iterations;
      state.counters["iterations_still"] = without.iterations;
    }
  });
}
BENCHMARK(over_still_bodies)
    ->ArgsProduct({{1, 4}, {10, 50, 100}})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

// In two dimensions, 200^2 cells half full, 4 bodies, range(0) hundredths as dense: all that a
// substep does about pressure.
void bodies_in_plane(benchmark::State& state) {
  parallel::ThreadLimit threads(1);
  threads.run([&] {
    constexpr std::int32_t n = 200;
    std::vector<Cell<2>> tiles;
    for (std::int32_t z = -1; z <= n / 2 / tile_edge<2> + 1; ++z) {
      for (std::int32_t x = -1; x <= n / tile_edge<2> + 1; ++x)
        tiles.push_back({x, z});
    }
    MacGrid<2> grid;
    grid.tiles = Tiles<2>(tiles);
    Sides<2> sides;
    sides.cells.fill(n);
    for (auto& axis : sides.is_wall)
      axis = {true, true};
    SolidFaces<2> solids({1, Vec3f::Zero()}, sides, 0);
    solids.find(grid);
    const std::size_t size = grid.tiles.array_size();
    grid.density.assign(size, 1);
    grid.distance.assign(size, 1);
    grid.is_full.assign(grid.tiles.count() + 1, 0);
    for (std::size_t axis = 0; axis < 2; ++axis)
      grid.velocity[axis].assign(size, axis == 1 ? -0.1F : 0.0F);
    for (std::size_t i = 0; i < size - tile_size<2>; ++i)
      grid.distance[i] = static_cast<float>(grid.tiles.cell(i)[1]) + 0.5F - 0.5F * n;
    const Bricks<2> bricks(n, 4, static_cast<double>(state.range(0)) / 100);
    ImmersedBodies<2> bodies({1, Vec3f::Zero()}, {}, 1);
    PressureSolver<2> solver;
    for (auto _ : state) {
      MacGrid<2> copy = grid;
      const double start = now();
      bodies.set(bricks.all);
      bodies.cover(copy);
      const SolveReport report =
          solver.project({scene::Preconditioner::multigrid, 1e-6, 1000}, copy, &bodies);
      state.SetIterationTime(now() - start);
      state.counters["iterations"] = report.iterations;
      if (!report.converged) state.SkipWithError("not converged");
    }
  });
}
BENCHMARK(bodies_in_plane)->Arg(10)->Arg(50)->UseManualTime()->Unit(benchmark::kMillisecond);

// Viscosity range(0) in the box of 64^3 cells, without slip, 3/8 full: set-up and solve, on
// range(1) threads.
void viscosity(benchmark::State& state) {
  parallel::ThreadLimit threads(static_cast<int>(state.range(1)));
  threads.run([&] {
    constexpr std::int32_t n = 64;
    MacGrid<3> grid = half_full_box(n);
    Sides<3> sides = walls(n);
    sides.wall = scene::WallCondition::no_slip;
    SolidFaces<3> solids({1, Vec3f::Zero()}, sides, 0);
    solids.find(grid);
    solids.find_grip(grid);
    for (std::size_t i = 0; i < grid.distance.size() - tile_size<3>; ++i)
      grid.distance[i] += 0.125F * n;
    ViscositySolver<3> solver;
    for (auto _ : state) {
      MacGrid<3> copy = grid;
      const double start = now();
      const SolveReport report = solver.apply(static_cast<float>(state.range(0)), 1e-6, 1000, copy);
      state.SetIterationTime(now() - start);
      state.counters["iterations"] = report.iterations;
      if (!report.converged) state.SkipWithError("not converged");
    }
    double unknowns = 0;
    for (const Array<float>& faces : find_volumes(grid).faces)
      unknowns += static_cast<double>(std::ranges::count_if(faces, [](float v) { return v > 0; }));
    state.counters["unknowns"] = unknowns;
  });
}
BENCHMARK(viscosity)
    ->Args({1, 2})
    ->Args({41, 1})
    ->Args({41, 2})
    ->Args({1000, 2})
    ->Args({10000, 2})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

// A dam that has broken, in a box of range(0)^3 cells, on range(1) threads: a substep.
void liquid_step(benchmark::State& state) {
  parallel::ThreadLimit threads(static_cast<int>(state.range(1)));
  threads.run([&] {
    const auto n = static_cast<std::int32_t>(state.range(0));
    LiquidSettings<3> settings;
    settings.frame = {1.0F / static_cast<float>(n), Vec3f::Zero()};
    settings.sides = walls(n);
    settings.mass = {1};
    LiquidStep<3> step(settings);
    Particles particles;
    const float spacing = 0.5F * settings.frame.cell_size;
    std::vector<Vec3f> seeds;
    for (std::int32_t z = 0; z < n; ++z) {
      for (std::int32_t y = 0; y < 2 * n; ++y) {
        for (std::int32_t x = 0; x < n * 4 / 5; ++x)
          seeds.emplace_back(Vec3f(static_cast<float>(x) + 0.5F, static_cast<float>(y) + 0.5F,
                                   static_cast<float>(z) + 0.5F) *
                             spacing);
      }
    }
    particles.resize(seeds.size());
    std::copy(seeds.begin(), seeds.end(), particles.positions.begin());
    const float h = 1.0F / 120;
    const auto advance = [&] {
      float speed = 0;
      for (std::size_t i = 0; i < particles.count; ++i)
        speed = std::max(speed, particles.velocities[i].norm());
      const double start = now();
      const LiquidReport report = step.advance({h, Vec3f(0, 0, -9.81F), {}, speed}, particles);
      const double seconds = now() - start;
      const float margin = 1e-3F * settings.frame.cell_size;
      for (std::size_t i = 0; i < particles.count; ++i) {
        Vec3f& x = particles.targets[i];
        x = x.cwiseMax(margin).cwiseMin(1 - margin);
      }
      particles.positions.swap(particles.targets);
      put_in_order(step.order(), particles);
      state.counters["iterations"] = report.pressure.iterations;
      return seconds;
    };
    for (int n_before = 0; n_before < 20; ++n_before)
      advance();
    for (auto _ : state)
      state.SetIterationTime(advance());
    state.counters["particles"] = static_cast<double>(particles.count);
  });
}
BENCHMARK(liquid_step)
    ->Args({64, 1})
    ->Args({64, 2})
    ->Args({128, 1})
    ->Args({128, 2})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

// A column of water [Martin1952], twice as high as wide, of 24 cells a width, which lets go: how
// long MPM takes for 0.45 s of it over what this solver takes, on range(0) threads. Sound in
// MPM's water goes at range(1) tenths of what the water falls at. The fronts, in widths, are
// counters.
void over_explicit(benchmark::State& state) {
  constexpr double width = 0.3, cell = width / 24, depth = 12 * cell, seconds = 0.45;
  scene::Scene scene;
  scene.domain_lower = Vec3::Zero();
  scene.domain_upper = {6 * width, depth, 2.5 * width};
  scene.grid.cell_size = cell;
  scene.gravity = {0, 0, -9.81};
  scene::Fluid water;
  water.name = "water";
  water.regions = {{geometry::Box{Vec3(width / 2, depth / 2, width)},
                    Vec3(width / 2, depth / 2, width), Mat3::Identity()}};
  water.dynamic_viscosity = 0;
  water.sound_speed = static_cast<double>(state.range(1)) / 10 * std::sqrt(2 * 9.81 * 2 * width);
  scene.fluids = {water};
  const auto run = [&](scene::FluidSolver solver, double cfl, double& front) {
    scene.grid.solver = solver;
    scene.grid.cfl = cfl;
    const auto fluid = make_particle_fluid(scene);
    const double start = now();
    for (double time = 0; time < seconds;) {
      const double h = std::min({fluid->stable_substep(), 1.0 / 60, seconds - time + 1e-9});
      fluid->advance_velocities(h, scene.gravity);
      fluid->commit();
      time += h;
    }
    const double took = now() - start;
    for (const Vec3f& x : fluid->positions())
      front = std::max(front, static_cast<double>(x.x()) / width);
    state.counters["particles"] = static_cast<double>(fluid->particle_count());
    return took;
  };
  parallel::ThreadLimit threads(static_cast<int>(state.range(0)));
  threads.run([&] {
    for (auto _ : state) {
      double front = 0, explicit_front = 0;
      const double took = run(scene::FluidSolver::incompressible, 2, front);
      const double explicit_took = run(scene::FluidSolver::mpm, 0.4, explicit_front);
      state.SetIterationTime(took);
      state.counters["ratio"] = explicit_took / took;
      state.counters["front"] = front;
      state.counters["explicit_front"] = explicit_front;
    }
  });
}
BENCHMARK(over_explicit)
    ->Args({1, 100})
    ->Args({2, 100})
    ->Args({1, 50})
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sluice::fluid::grid
