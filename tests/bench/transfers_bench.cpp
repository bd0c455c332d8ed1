// SPDX-License-Identifier: Apache-2.0
// Particle steps per second of the MPM substep (sort, scatter, grid, gather), one thread, against
// the memory bandwidth measured in the same program. Interleave the cases for ratios:
// --benchmark_enable_random_interleaving=true.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <ctime>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "solver/fluid/mpm/mpm_fluid.h"
#include "solver/parallel/thread_limit.h"

namespace sluice {
namespace {

constexpr std::size_t triad_length = std::size_t{1} << 24;  // 64 MiB an array: far beyond a cache.

// STREAM's triad in floats, bytes counted as STREAM does: two reads and a write. By the clock that
// the particle steps are measured with.
double triad(std::vector<float>& a, const std::vector<float>& b, const std::vector<float>& c) {
  const std::clock_t start = std::clock();
  for (std::size_t i = 0; i < a.size(); ++i)
    a[i] = b[i] + 3.0F * c[i];
  benchmark::DoNotOptimize(a.data());
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  return 3.0 * sizeof(float) * static_cast<double>(a.size()) / seconds;
}

// [bytes/s] of one core; best of a few, measured once.
double memory_bandwidth() {
  static const double best = [] {
    std::vector<float> a(triad_length, 1.0F), b(triad_length, 2.0F), c(triad_length, 3.0F);
    double most = 0;
    for (int n = 0; n < 5; ++n)
      most = std::max(most, triad(a, b, c));
    return most;
  }();
  return best;
}

// What a particle step must move if every array it uses comes from memory once a pass and goes back
// once, and the grid stays in cache: the model that `bytes_per_particle_step` states. [bytes]
//   sort:    positions 12, velocities 12, slots 4 + 4 (write-allocate) + 4, order 4 + 4
//   scatter: order 4, positions 12, velocities 12, affine 40, materials 1
//   gather:  order 4, positions 12, affine 40 + 40, materials 1, targets 12 + 12, velocities 12 +
//   12
constexpr double sort_bytes = 12 + 12 + 12 + 8;
constexpr double scatter_bytes = 4 + 12 + 12 + 40 + 1;
constexpr double gather_bytes = 4 + 12 + 80 + 1 + 24 + 24;
constexpr double bytes_per_particle_step = sort_bytes + scatter_bytes + gather_bytes;

// A block of water of about `count` particles, stirred, in a tank twice as long.
scene::Scene block_of_water(std::int64_t count, scene::Kernel kernel) {
  constexpr double cell = 0.01;
  const double side = cell * std::round(std::cbrt(static_cast<double>(count) / 8));
  scene::Scene scene;
  scene.domain_lower = Vec3::Zero();
  scene.domain_upper = Vec3(2 * side, side, 1.5 * side);
  scene.grid.cell_size = cell;
  scene.grid.kernel = kernel;
  scene::Fluid fluid;
  geometry::Shape box;
  box.form = geometry::Box{Vec3::Constant(side / 2)};
  box.translation = Vec3::Constant(side / 2);
  fluid.regions = {box};
  scene.fluids = {fluid};
  return scene;
}

void stir(fluid::MpmFluid& water) {
  std::mt19937 generator(1);
  std::uniform_real_distribution<float> shift(-0.001F, 0.001F);  // [m] of a spacing of 5 mm
  water.advance_velocities(water.stable_substep(), Vec3::Zero());
  for (Vec3f& x : water.targets()) {
    x += Vec3f(shift(generator), shift(generator), shift(generator));
    x = x.cwiseMax(water.lower()).cwiseMin(water.upper());
  }
  water.commit();
}

// A stirred block, stepped on one thread.
class Water {
 public:
  Water(std::int64_t count, scene::Kernel kernel) : scene_(block_of_water(count, kernel)) {
    limit_.run([&] {
      fluid_ = std::make_unique<fluid::MpmFluid>(scene_);
      stir(*fluid_);
    });
  }
  void step() {
    limit_.run([&] {
      fluid_->advance_velocities(fluid_->stable_substep(), scene_.gravity);
      fluid_->commit();
    });
  }
  [[nodiscard]] double count() const { return static_cast<double>(fluid_->particle_count()); }

 private:
  scene::Scene scene_;
  parallel::ThreadLimit limit_{1};
  std::unique_ptr<fluid::MpmFluid> fluid_;
};

void particle_steps(benchmark::State& state, scene::Kernel kernel) {
  Water water(state.range(0), kernel);
  while (state.KeepRunning())
    water.step();
  const double steps = water.count() * static_cast<double>(state.iterations());
  state.counters["particles"] = water.count();
  state.counters["particle_steps"] = benchmark::Counter(steps, benchmark::Counter::kIsRate);
  state.counters["bytes_per_particle_step"] = bytes_per_particle_step;
  state.counters["memory_bandwidth"] = memory_bandwidth();
  state.counters["bandwidth_share"] = benchmark::Counter(
      steps * bytes_per_particle_step / memory_bandwidth(), benchmark::Counter::kIsRate);
}

// `ratio`: time per particle step at 2 M particles over that at 100 k, the two taken in turn.
void particle_step_growth(benchmark::State& state) {
  Water small(100'000, scene::Kernel::quadratic), large(2'000'000, scene::Kernel::quadratic);
  constexpr int steps_of_small = 20;  // for one of the large: as many particle steps
  std::clock_t small_time = 0, large_time = 0;
  while (state.KeepRunning()) {
    const std::clock_t start = std::clock();
    for (int n = 0; n < steps_of_small; ++n)
      small.step();
    const std::clock_t middle = std::clock();
    large.step();
    small_time += middle - start;
    large_time += std::clock() - middle;
  }
  state.counters["ratio"] = static_cast<double>(large_time) / large.count() /
                            (static_cast<double>(small_time) / (steps_of_small * small.count()));
}

BENCHMARK(particle_step_growth)->Unit(benchmark::kMillisecond)->Iterations(10);
BENCHMARK_CAPTURE(particle_steps, quadratic, scene::Kernel::quadratic)
    ->Arg(100'000)
    ->Arg(1'000'000)
    ->Arg(2'000'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(particle_steps, cubic, scene::Kernel::cubic)
    ->Arg(100'000)
    ->Arg(1'000'000)
    ->Arg(2'000'000)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sluice
