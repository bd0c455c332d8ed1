// SPDX-License-Identifier: Apache-2.0
// Gases: whole steps, and what of the memory's bandwidth carrying values along takes.
// tests/bench/report gas prints the figures.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <random>
#include <vector>

#include "solver/coupling/method.h"
#include "solver/fluid/gas.h"
#include "solver/fluid/gas/gas_box.h"
#include "solver/fluid/gas/semi_lagrangian.h"
#include "solver/parallel/parallel_for.h"
#include "solver/parallel/thread_limit.h"
#include "solver/solid/deformable_system.h"
#include "tests/unit/solver/slice_scenes.h"

namespace sluice::fluid::grid {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// A box with a dozen balls of gas that fly about, of `cells` along each edge.
scene::Scene box(int dimensions, int cells) {
  scene::Scene scene;
  scene.domain_lower = Vec3::Zero();
  scene.domain_upper = Vec3(1, dimensions == 3 ? 1 : 0.1, 1);
  scene.gravity = Vec3::Zero();
  scene.grid.cell_size = 1.0 / cells;
  scene.grid.dimensions = dimensions;
  scene.grid.cfl = 2;
  scene.gas.emplace();
  scene.gas->name = "air";
  scene.gas->carries = {dimensions == 2 ? scene::Carried::dye : scene::Carried::smoke};
  scene.gas->vorticity_confinement = 0.3;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> part(0, 1);
  for (int i = 0; i < 12; ++i) {
    scene::GasRegion& ball = scene.gas->regions.emplace_back();
    const double y = dimensions == 3 ? part(random) : 0.05;
    ball.shape.form = geometry::Sphere{0.12};
    ball.shape.translation = Vec3(part(random), y, part(random));
    ball.content.velocity = Vec3(4 * part(random) - 2, dimensions == 3 ? 4 * part(random) - 2 : 0,
                                 4 * part(random) - 2);
    if (dimensions == 2) {
      ball.content.dye = Vec3(part(random), part(random), part(random));
    } else {
      ball.content.smoke = 1;
    }
  }
  return scene;
}

// Steps of range(0) dimensions and range(1) cells along an edge, on range(2) threads: their mean.
void gas_step(benchmark::State& state) {
  parallel::ThreadLimit threads(static_cast<int>(state.range(2)));
  threads.run([&] {
    const auto gas =
        make_gas(box(static_cast<int>(state.range(0)), static_cast<int>(state.range(1))));
    double time = 0, iterations = 0;
    const auto step = [&] {
      const double h = gas->stable_substep(0);
      if (!gas->advance({.duration = h, .time = time, .gravity = Vec3::Zero(), .pushes = {}}))
        state.SkipWithError("not finite");
      time += h;
      iterations += static_cast<double>(gas->pressure_report().iterations);
    };
    step();  // Gets the memory.
    step();
    iterations = 0;
    for (auto _ : state) {
      const double start = now();
      step();
      state.SetIterationTime(now() - start);
    }
    state.counters["iterations"] = iterations / static_cast<double>(state.iterations());
  });
}
BENCHMARK(gas_step)
    ->Args({2, 512, 1})
    ->Args({2, 512, 2})
    ->Args({2, 1024, 2})
    ->Args({3, 128, 1})
    ->Args({3, 128, 2})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

// The bar of client/scenes/bar_in_jet.json, range(0) cells high, on range(1) threads; range(2) 0:
// without the bar. The mean step; [Imamura2008] 5 has 83 ms, with drawing and without its
// resolution.
void bar_in_jet(benchmark::State& state) {
  parallel::ThreadLimit threads(static_cast<int>(state.range(1)));
  threads.run([&] {
    scene::Scene scene = test::flat_gas(1.5, 1, 1.0 / static_cast<double>(state.range(0)), 1000);
    scene.grid.sides[0] = {scene::Side::open, scene::Side::open};
    scene.grid.wall = scene::WallCondition::no_slip;
    scene.gas->dynamic_viscosity = 0.2;
    scene::GasSource& jet = scene.gas->sources.emplace_back();
    jet.shape.form = geometry::Box{Vec3(0.04, 1, 0.08)};
    jet.shape.translation = Vec3(0.04, 0, 0.42);
    jet.content.velocity = Vec3(1.5, 0, 0);
    scene::ElasticMaterial rubber;
    rubber.young_modulus = 5e5;
    scene.cloths = {test::make_slice(
        "bar", 30, 4,
        [](double u, double v) { return Vec3(0.42 + 0.06 * v, 0, 0.99999995 - 0.6 * u); }, 1100,
        rubber)};
    scene.cloths[0].wall = scene::WallCondition::no_slip;
    test::clamp_start(30, 4, scene.cloths[0]);
    if (state.range(2) == 0) {
      scene.cloths.clear();
      scene.coupling.method = scene::CouplingMethod::admm_ipc;
    }
    solid::DeformableSystem solids = solid::make_deformable_system(scene);
    const auto gas = make_gas(scene);
    const auto method = coupling::make_method(scene, solids);
    method->place_solids(solids, *gas);
    method->begin_frame();
    double time = 0, iterations = 0;
    const auto step = [&] {
      const double h = std::min(gas->stable_substep(0), 1.0 / 240);
      if (!method->step(h, {.time = time}, solids, gas.get())) state.SkipWithError("failed");
      time += h;
      iterations += static_cast<double>(gas->pressure_report().iterations);
    };
    while (time < 0.5)
      step();
    iterations = 0;
    for (auto _ : state) {
      const double start = now();
      step();
      state.SetIterationTime(now() - start);
    }
    state.counters["iterations"] = iterations / static_cast<double>(state.iterations());
  });
}
BENCHMARK(bar_in_jet)
    ->Args({128, 1, 1})
    ->Args({128, 1, 0})
    ->Args({128, 2, 1})
    ->Args({256, 2, 1})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

// [bytes/s] of a copy, read and written.
double bandwidth() {
  constexpr std::size_t count = std::size_t{1} << 26;
  std::vector<float> from(count, 1), to(count);
  double best = 0;
  for (int i = 0; i < 5; ++i) {
    const double start = now();
    parallel::parallel_for(0, static_cast<std::int64_t>(count), 1 << 20,
                           [&](std::int64_t begin, std::int64_t end) {
                             std::memcpy(to.data() + begin, from.data() + begin,
                                         static_cast<std::size_t>(end - begin) * sizeof(float));
                           });
    best = std::max(best, 2.0 * sizeof(float) * count / (now() - start));
  }
  return best;
}

// A box of 128^3 cells, a flow through them in cells a step, and which cells are inside.
struct FlowThrough {
  Sides<3> sides;
  MacGrid<3> flow;
  Array<std::uint8_t> is_inside;
};

// Calls velocity(place [cells], axis) for all faces.
template <typename Velocity>
FlowThrough flow_through(const Velocity& velocity) {
  constexpr std::int32_t cells = 128;
  FlowThrough box;
  box.sides.cells = {cells, cells, cells};
  for (auto& axis : box.sides.is_wall)
    axis = {true, true};
  box.flow.tiles = GasBox<3>(box.sides).tiles();
  const Tiles<3>& tiles = box.flow.tiles;
  box.is_inside.assign(tiles.array_size(), 0);
  for (auto& of_axis : box.flow.velocity)
    of_axis.assign(tiles.array_size(), 0);
  for (std::size_t i = 0; i < tiles.count() * tile_size<3>; ++i) {
    const Cell<3> cell = tiles.cell(i);
    if (std::ranges::all_of(cell, [](auto c) { return c >= 0 && c < cells; })) box.is_inside[i] = 1;
    for (int axis = 0; axis < 3; ++axis) {
      Vec3f x(static_cast<float>(cell[0]), static_cast<float>(cell[1]),
              static_cast<float>(cell[2]));
      x += Vec3f::Constant(0.5F);
      x[axis] -= 0.5F;
      box.flow.velocity[static_cast<std::size_t>(axis)][i] = velocity(x, axis);
    }
  }
  return box;
}

// Vortices of 8 to 64 cells, the larger ones the faster as in turbulence, without divergence; two
// cells a step where it is fastest.
const FlowThrough& vortices() {
  static const FlowThrough box = [] {
    struct Wave {
      Vec3f k, amplitude;
      float phase;
    };
    std::mt19937 random(1);
    std::normal_distribution<float> part;
    std::vector<Wave> waves;
    for (float length = 8; length <= 64; length *= 1.35F) {
      const Vec3f k = Vec3f(part(random), part(random), part(random)).normalized();
      const Vec3f across = k.cross(Vec3f(part(random), part(random), part(random))).normalized();
      waves.push_back({2 * std::numbers::pi_v<float> / length * k, std::cbrt(length) * across,
                       3 * part(random)});
    }
    FlowThrough made = flow_through([&](const Vec3f& x, int axis) {
      float sum = 0;
      for (const Wave& wave : waves)
        sum += wave.amplitude[axis] * std::sin(wave.k.dot(x) + wave.phase);
      return sum;
    });
    float fastest = 0;
    for (const Array<float>& velocity : made.flow.velocity)
      for (const float v : velocity)
        fastest = std::max(fastest, std::abs(v));
    for (Array<float>& velocity : made.flow.velocity)
      for (float& v : velocity)
        v *= 2 / fastest;
    return made;
  }();
  return box;
}

// Up to a cell a step, and nothing like that next to it.
const FlowThrough& noise() {
  static const FlowThrough box = [] {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> part(-1, 1);
    return flow_through([&](const Vec3f& /*x*/, int /*axis*/) { return part(random); });
  }();
  return box;
}

// Advection of a number a cell through 128^3 cells on range(0) threads, by the method range(1), of
// vortices or, range(2), noise: time, and the part of the bandwidth that reading the flow and the
// numbers once and writing them takes.
void advection(benchmark::State& state) {
  parallel::ThreadLimit threads(static_cast<int>(state.range(0)));
  threads.run([&] {
    const FlowThrough& box = state.range(2) != 0 ? noise() : vortices();
    const auto method = static_cast<scene::Advection>(state.range(1));
    Array<float> values = box.flow.velocity[0];
    const CellFrame<3> frame{1, Vec3f::Zero()};
    SemiLagrangian<3> carrier(frame, box.sides);
    const Advected advected{Advected::in_middles, &box.is_inside, &values};
    const auto cells = static_cast<double>(std::ranges::count(box.is_inside, 1));
    const double bytes = 5.0 * sizeof(float) * cells;
    const double most = bandwidth();
    double total = 0;
    carrier.carry(box.flow, method, 1, std::span(&advected, 1));  // Gets the memory.
    for (auto _ : state) {
      const double start = now();
      carrier.carry(box.flow, method, 1, std::span(&advected, 1));
      const double seconds = now() - start;
      total += seconds;
      state.SetIterationTime(seconds);
    }
    state.counters["of_bandwidth"] =
        bytes / most / (total / static_cast<double>(state.iterations()));
  });
}
BENCHMARK(advection)
    ->ArgsProduct({{1, 2},
                   {static_cast<int>(scene::Advection::cubic),
                    static_cast<int>(scene::Advection::maccormack),
                    static_cast<int>(scene::Advection::semi_lagrangian)},
                   {0, 1}})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sluice::fluid::grid
