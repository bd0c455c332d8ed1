// SPDX-License-Identifier: Apache-2.0
// A substep of water on a sloped sheet, and its parts: what coupling costs on top of the bare fluid
// step.
//   coupled        the whole substep                         fluid   MPM alone
//   sheet          cloth without fluid                       search  bounds and candidates
//   filter         the step filter on a motion that is clear
// All on the same state: 30,000 particles, 1,681 vertices, water lying on the sheet.
//   admm, newton   a substep of ADMM-IPC and one of Newton-IPC, of the same length from the same
//                  state, of 60,000 particles and 4,096 vertices. Each until its own relative
//                  residual is a given number of millionths: the change of an iteration, in the
//                  norm of energy, over the motion; the gradient over the forces of the motion.
//                  `error` is what is comparable: the distance of the vertices from where the same
//                  method leads them with 1e-7, over their way, in the norm of mass. `coupling_ms`
//                  is what the substep takes besides the fluid's own stages.
//   share          the same large state: `contact` is what of a substep is neither the fluid's
//   alone
//                  nor the sheet's alone, `detection` what finding pairs takes.
//   region         60,000 particles of water at rest and a small sheet in it, that a hundredth of
//   them
//                  touch: `ratio` to the substep where the same sheet hangs above the water.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include "solver/contact/candidates.h"
#include "solver/contact/step_filter.h"
#include "solver/coupling/admm_ipc.h"
#include "solver/coupling/method.h"
#include "solver/fluid/mpm/mpm_fluid.h"
#include "solver/parallel/thread_limit.h"

namespace sluice {
namespace {

enum class Size { small, large };

scene::Scene make_scene(Size size) {
  scene::Scene scene;
  scene.domain_lower = Vec3(-0.5, -0.5, -0.5);
  scene.domain_upper = Vec3(0.5, 0.5, 0.5);
  scene.grid.cell_size = 0.015;
  scene.coupling.contact_distance = 1.5e-3;
  const double half_height = size == Size::small ? 0.07 : 0.14;
  scene.fluids.push_back({"water",
                          {{geometry::Box{Vec3(0.15, 0.15, half_height)},
                            Vec3(0, 0, 0.06 + half_height), Mat3::Identity()}}});
  scene.fluids[0].sound_speed = 15;
  scene.fluids[0].velocity = Vec3(0, 0, -1);
  scene::Cloth cloth;
  cloth.name = "sheet";
  const int n = size == Size::small ? 41 : 64;
  const double spacing = 0.8 / (n - 1);
  const Mat3 slope =
      Eigen::AngleAxisd(15 * std::numbers::pi / 180, Vec3::UnitY()).toRotationMatrix();
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      cloth.mesh.vertices.emplace_back(slope * Vec3(spacing * i - 0.4, spacing * j - 0.4, 0));
      if (i == 0 || j == 0 || j == n - 1) {
        if (cloth.pins.empty()) cloth.pins.push_back({"rim", {}, Vec3::Zero()});
        cloth.pins[0].vertices.push_back(j * n + i);
      }
      if (i + 1 == n || j + 1 == n) continue;
      const int a = j * n + i;
      cloth.mesh.triangles.push_back({a, a + 1, a + n + 1});
      cloth.mesh.triangles.push_back({a, a + n + 1, a + n});
    }
  }
  cloth.area_density = 0.5;
  cloth.structural_stiffness = 2000;
  cloth.shear_stiffness = 700;
  scene.cloths.push_back(cloth);
  return scene;
}

scene::Scene until(scene::Scene scene, scene::CouplingMethod method, double residual) {
  scene.coupling.method = method;
  scene.coupling.tolerance = residual;
  scene.coupling.max_iterations = 10'000;
  return scene;
}

/// The scene, 0.08 s after its start.
struct State {
  /// `prepare` is called with the solids in their rest shape.
  explicit State(
      int threads, Size size = Size::small,
      const std::function<void(State&)>& prepare = [](State&) {})
      : scene(make_scene(size)),
        limit(threads),
        solids(solid::make_deformable_system(scene)),
        fluid(scene),
        coupling(scene, solids) {
    prepare(*this);
    double time = 0;
    while (time < 0.08)
      time += step(coupling).first;
  }
  double duration() const {
    return std::min(coupling.longest_substep(solids), fluid.stable_substep());
  }
  /// The length of the substep [s], and how it went.
  std::pair<double, coupling::SubstepReport> step(coupling::Method& method,
                                                  StageTimer* timer = nullptr) {
    const double h = duration();
    coupling::SubstepReport report;
    limit.run([&] {
      const auto stepped =
          method.step(h, {scene.gravity, {}, {}, {}}, solids, &fluid, {nullptr, timer});
      if (!stepped) {
        std::fprintf(stderr, "%s\n", stepped.error().message.c_str());
        std::abort();
      }
      report = stepped.value();
    });
    return {h, report};
  }
  scene::Scene scene;
  parallel::ThreadLimit limit;
  solid::DeformableSystem solids;
  fluid::MpmFluid fluid;
  coupling::AdmmIpc coupling;
};

void coupled(benchmark::State& bench) {
  State state(static_cast<int>(bench.range(0)));
  for ([[maybe_unused]] auto _ : bench)
    state.step(state.coupling);
  bench.counters["particles"] = static_cast<double>(state.fluid.particle_count());
}

void fluid(benchmark::State& bench) {
  State state(static_cast<int>(bench.range(0)));
  for ([[maybe_unused]] auto _ : bench) {
    state.limit.run([&] {
      state.fluid.advance_velocities(state.duration(), state.scene.gravity);
      state.fluid.commit();
    });
  }
}

void sheet(benchmark::State& bench) {
  State state(static_cast<int>(bench.range(0)));
  const double h = state.duration();
  for ([[maybe_unused]] auto _ : bench) {
    state.limit.run([&] {
      if (!state.coupling.step(h, {state.scene.gravity, {}, {}, {}}, state.solids, nullptr)) {
        std::abort();
      }
    });
  }
}

void search_and_filter(benchmark::State& bench, bool with_filter) {
  State state(static_cast<int>(bench.range(0)));
  const std::vector<Vec3> vertices = state.solids.positions;
  contact::MotionBounds bounds;
  contact::CandidateFinder finder;
  contact::StepFilter filter;
  contact::Candidates candidates;
  // Particles with triangles alone; what the sheet itself takes is in `sheet`.
  const contact::Surfaces surfaces{state.solids.triangles, state.solids.edges};
  std::vector<Vec3f> particles_t1;
  std::vector<Vec3> vertices_t1;
  auto search = [&] {
    bounds.begin({state.fluid.positions(), vertices}, {state.fluid.positions(), vertices}, 5e-4);
    finder.find(bounds, surfaces, 1e-3, candidates);
  };
  state.limit.run(search);
  for ([[maybe_unused]] auto _ : bench) {
    if (!with_filter) {
      state.limit.run(search);
      continue;
    }
    bench.PauseTiming();
    particles_t1.assign(state.fluid.positions().begin(), state.fluid.positions().end());
    for (Vec3f& p : particles_t1)
      p.x() += 1e-4F;
    vertices_t1 = vertices;
    for (Vec3& x : vertices_t1)
      x.x() += 1e-4;
    bench.ResumeTiming();
    state.limit.run([&] {
      filter.limit(bounds, {surfaces, candidates}, contact::FilterMethod::local,
                   {particles_t1, vertices_t1});
    });
  }
  bench.counters["candidates"] = static_cast<double>(candidates.points.size());
}
void search(benchmark::State& bench) { search_and_filter(bench, false); }
void filter(benchmark::State& bench) { search_and_filter(bench, true); }

/// [kg m^2] sum of m |a - b|^2.
double squared_distance(const solid::DeformableSystem& solids, const std::vector<Vec3>& a,
                        const std::vector<Vec3>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += solids.mass[i] * (a[i] - b[i]).squaredNorm();
  return sum;
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void to_residual(benchmark::State& bench, scene::CouplingMethod kind) {
  std::unique_ptr<coupling::Method> method, exact;
  State state(1, Size::large, [&](State& rest) {
    const double residual = 1e-6 * static_cast<double>(bench.range(0));
    method = coupling::make_method(until(rest.scene, kind, residual), rest.solids);
    exact = coupling::make_method(until(rest.scene, kind, 1e-7), rest.solids);
  });
  double iterations = 0, residual = 0, error = 0, coupling_seconds = 0;
  StageTimer timer(seconds_now);
  for ([[maybe_unused]] auto _ : bench) {
    bench.PauseTiming();
    const std::vector<std::byte> fluid = state.fluid.save();
    const std::vector<Vec3> start = state.solids.positions, velocities = state.solids.velocities;
    state.step(*exact);
    const std::vector<Vec3> end = state.solids.positions;
    state.fluid = fluid::MpmFluid::restore(state.scene, fluid).value();
    state.solids.positions = start;
    state.solids.velocities = velocities;
    bench.ResumeTiming();
    timer.restart();
    const coupling::SubstepReport report = state.step(*method, &timer).second;
    bench.PauseTiming();
    for (const Stage stage :
         {Stage::solid, Stage::contact_detection, Stage::coupling, Stage::step_filter}) {
      coupling_seconds += timer.seconds()[static_cast<std::size_t>(stage)];
    }
    iterations += static_cast<double>(report.iteration_count);
    residual = std::max(residual, report.residual);
    error = std::max(error, std::sqrt(squared_distance(state.solids, state.solids.positions, end) /
                                      squared_distance(state.solids, start, end)));
    bench.ResumeTiming();
  }
  bench.counters["particles"] = static_cast<double>(state.fluid.particle_count());
  bench.counters["vertices"] = static_cast<double>(state.solids.positions.size());
  bench.counters["iterations"] = benchmark::Counter(iterations, benchmark::Counter::kAvgIterations);
  bench.counters["residual"] = residual;
  bench.counters["error"] = error;
  bench.counters["coupling_ms"] =
      benchmark::Counter(1e3 * coupling_seconds, benchmark::Counter::kAvgIterations);
}
void admm(benchmark::State& bench) { to_residual(bench, scene::CouplingMethod::admm_ipc); }
void newton(benchmark::State& bench) { to_residual(bench, scene::CouplingMethod::newton_ipc); }

void share(benchmark::State& bench) {
  std::unique_ptr<coupling::Method> sheet_alone;
  State state(1, Size::large,
              [&](State& rest) { sheet_alone = coupling::make_method(rest.scene, rest.solids); });
  StageTimer timer(seconds_now);
  double together = 0, apart = 0, detection = 0;
  for ([[maybe_unused]] auto _ : bench) {
    const std::vector<std::byte> fluid = state.fluid.save();
    const std::vector<Vec3> places = state.solids.positions, velocities = state.solids.velocities;
    const double h = state.duration();
    const double start = seconds_now();
    state.limit.run([&] {
      state.fluid.advance_velocities(h, state.scene.gravity);
      state.fluid.commit();
    });
    const double fluid_end = seconds_now();
    state.fluid = fluid::MpmFluid::restore(state.scene, fluid).value();
    const double sheet_start = seconds_now();
    state.limit.run([&] {
      if (!sheet_alone->step(h, {state.scene.gravity, {}, {}, {}}, state.solids, nullptr))
        std::abort();
    });
    apart += fluid_end - start + seconds_now() - sheet_start;
    state.solids.positions = places;
    state.solids.velocities = velocities;
    timer.restart();
    const double together_start = seconds_now();
    state.step(state.coupling, &timer);
    together += seconds_now() - together_start;
    detection += timer.seconds()[static_cast<std::size_t>(Stage::contact_detection)];
  }
  bench.counters["contact"] = 1 - apart / together;
  bench.counters["detection"] = detection / together;
}

void region(benchmark::State& bench) {
  const auto make = [](bool is_on_sheet) {
    scene::Scene scene = make_scene(Size::small);
    scene.domain_lower = Vec3(-0.5, -0.5, -0.5);
    scene.domain_upper = Vec3(0.5, 0.5, 0.5);
    scene.fluids[0].velocity.setZero();
    const auto box = [](const Vec3& middle, const Vec3& half) {
      return geometry::Shape{geometry::Box{half}, middle, Mat3::Identity()};
    };
    scene.fluids[0].regions = {
        box({0, 0, -0.4825}, {0.5, 0.375, 0.0175}),
        box({0, is_on_sheet ? 0 : 0.46, is_on_sheet ? 0.04 : -0.46}, {0.03, 0.03, 0.0225})};
    return scene;
  };
  struct Side {
    explicit Side(const scene::Scene& made)
        : scene(made),
          solids(solid::make_deformable_system(scene)),
          fluid(scene),
          coupling(scene, solids) {}
    scene::Scene scene;
    solid::DeformableSystem solids;
    fluid::MpmFluid fluid;
    coupling::AdmmIpc coupling;
    std::int64_t contact_count = 0;
  };
  Side touched(make(true)), dry(make(false));
  parallel::ThreadLimit limit(1);
  const auto step = [&](Side& side) {
    const double h =
        std::min(side.coupling.longest_substep(side.solids), side.fluid.stable_substep());
    const double start = seconds_now();
    limit.run([&] {
      const auto report =
          side.coupling.step(h, {side.scene.gravity, {}, {}, {}}, side.solids, &side.fluid);
      if (!report) std::abort();
      side.contact_count = report.value().contact_count;
    });
    return seconds_now() - start;
  };
  for (int i = 0; i < 400; ++i) {
    step(touched);
    step(dry);
  }
  double with = 0, without = 0;
  for ([[maybe_unused]] auto _ : bench) {
    with += step(touched);
    without += step(dry);
  }
  bench.counters["ratio"] = with / without;
  bench.counters["contacts"] = static_cast<double>(touched.contact_count);
  bench.counters["particles"] = static_cast<double>(touched.fluid.particle_count());
}

BENCHMARK(coupled)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(fluid)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(sheet)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(search)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(filter)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(share)->Iterations(100)->Unit(benchmark::kMillisecond);
BENCHMARK(region)->Iterations(100)->Unit(benchmark::kMillisecond);
BENCHMARK(admm)->Arg(10)->Arg(100)->Arg(1000)->Iterations(5)->Unit(benchmark::kMillisecond);
BENCHMARK(newton)->Arg(10)->Arg(100)->Arg(1000)->Iterations(5)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sluice
