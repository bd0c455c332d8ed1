// SPDX-License-Identifier: Apache-2.0
// Whole frames as a worker computes them: substeps, order, clamping, checks, the state that a
// failed frame goes back to, output and its messages. tests/bench/report frame prints the figures.
#include <benchmark/benchmark.h>

#include <chrono>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "server/convert/frame_convert.h"
#include "server/worker/heap.h"
#include "tests/unit/solver/geometry/closed_meshes.h"
#include "tests/unit/solver/simulation_scenes.h"

namespace sluice {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// A dam that breaks in a box of 1 m, of `cells` along each edge, in 3D.
scene::Scene dam(scene::FluidSolver solver, int cells) {
  scene::Scene scene;
  scene.domain_lower = Vec3::Zero();
  scene.domain_upper = Vec3::Ones();
  scene.frame_rate = 120;
  scene.grid.cell_size = 1.0 / cells;
  scene.grid.solver = solver;
  scene.fluids.push_back({"water", {test::make_box(Vec3::Zero(), Vec3(0.4, 1, 0.5))}});
  if (solver == scene::FluidSolver::incompressible) {  // The defaults of a session.
    scene.fluids[0].dynamic_viscosity = 0;
    scene.coupling.max_substep = 0.1;
  }
  return scene;
}

// A ball of smoke that rises in a box of 1 m.
scene::Scene smoke() {
  scene::Scene scene;
  scene.domain_lower = Vec3::Zero();
  scene.domain_upper = Vec3::Ones();
  scene.frame_rate = 120;
  scene.grid.cell_size = 1.0 / 128;
  scene.coupling.max_substep = 0.1;
  scene.gas.emplace();
  scene.gas->name = "air";
  scene.gas->carries = {scene::Carried::smoke};
  scene::GasRegion& ball = scene.gas->regions.emplace_back();
  ball.shape.form = geometry::Sphere{0.2};
  ball.shape.translation = Vec3(0.5, 0.5, 0.3);
  ball.content.velocity = Vec3(0.5, 0, 2);
  ball.content.smoke = 1;
  return scene;
}

// The dam with a wooden block in it: a substep that fails is halved there.
scene::Scene dam_with_block() {
  scene::Scene scene = dam(scene::FluidSolver::incompressible, 64);
  scene.coupling.method = scene::CouplingMethod::variational_rigid;
  scene.coupling.max_substep = 1.0 / 240;
  scene::RigidBody& block = scene.rigid_bodies.emplace_back();
  block.name = "block";
  block.mesh = geometry::make_box({0.15, 0.4, 0.2}, {0.3, 0.6, 0.35});
  block.density = 500;
  return scene;
}

// A cloth that falls on a ball, and a block of rubber beside it.
scene::Scene solids() {
  scene::Scene scene;
  scene.domain_lower = Vec3(-1, -1, -1);
  scene.domain_upper = Vec3(1, 1, 1);
  scene.cloths.push_back(test::make_sheet(100, 100, 0.01, Vec3(0, 0, 0.1)));
  scene.soft_bodies.push_back(
      test::make_block(Vec3(0.6, -0.1, -0.9), Vec3(0.8, 0.1, -0.7), 0.02, 1e5));
  scene.obstacles.push_back({"ball", {geometry::Sphere{0.3}, Vec3(0, 0, -0.25), Mat3::Identity()}});
  return scene;
}

scene::Scene scene_of(std::int64_t number) {
  switch (number) {
    case 0:
      return dam(scene::FluidSolver::mpm, 64);
    case 1:
      return dam(scene::FluidSolver::incompressible, 64);
    case 2:
      return dam_with_block();
    case 3:
      return smoke();
    default:
      return solids();
  }
}

// The scene range(0) on range(1) threads: a frame, and how many times as long it takes as its
// substeps.
void frame(benchmark::State& state) {
  worker::keep_freed_memory();
  auto created = Simulation::create(scene_of(state.range(0)),
                                    {static_cast<int>(state.range(1)), nullptr, now});
  if (!created) throw std::runtime_error(created.error().message);
  const std::unique_ptr<Simulation> simulation = std::move(created).value();
  double whole = 0, of_substeps = 0, substep_count = 0;
  const auto advance = [&] {
    const double start = now();
    const auto statistics = simulation->advance_frame();
    if (!statistics) throw std::runtime_error(statistics.error().message);
    const auto messages =
        convert::convert_frame(simulation->layout(), simulation->fields(),
                               simulation->obstacle_offsets(), {}, simulation->time());
    benchmark::DoNotOptimize(messages.chunks.data());
    const double seconds = now() - start;
    const StageSeconds& stages = statistics.value().stage_seconds;
    whole += seconds;
    of_substeps += std::accumulate(stages.begin(), stages.end(), 0.0) -
                   stages[static_cast<std::size_t>(Stage::output)];
    substep_count += static_cast<double>(statistics.value().substep_count);
    return seconds;
  };
  for (int n = 0; n < 5; ++n)
    advance();  // Gets the memory, and something moves.
  whole = of_substeps = substep_count = 0;
  for (auto _ : state)
    state.SetIterationTime(advance());
  state.counters["over_substeps"] = whole / of_substeps;
  state.counters["substeps"] = substep_count / static_cast<double>(state.iterations());
}
BENCHMARK(frame)
    ->ArgNames({"scene", "threads"})
    ->ArgsProduct({{0, 1, 2, 3, 4}, {1, 2}})
    ->Iterations(20)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sluice
