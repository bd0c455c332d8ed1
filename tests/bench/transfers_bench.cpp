// SPDX-License-Identifier: Apache-2.0
// Particle steps per second of the MPM substep (sort, scatter, grid, gather), against the memory
// bandwidth and a plain program of the same method, both measured in the same program.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "solver/fluid/mpm/mpm_fluid.h"
#include "solver/parallel/thread_limit.h"
#include "tests/bench/plain_mpm.h"
#include "tests/bench/resident_bytes.h"

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

// A stirred block.
class Water {
 public:
  Water(std::int64_t count, scene::Kernel kernel) : scene_(block_of_water(count, kernel)) {
    parallel::ThreadLimit(1).run([&] {
      fluid_ = std::make_unique<fluid::MpmFluid>(scene_);
      stir(*fluid_);
    });
  }
  // On as many threads as the caller's limit allows.
  void step() {
    fluid_->advance_velocities(fluid_->stable_substep(), scene_.gravity);
    const std::clock_t start = std::clock();
    fluid_->commit();
    commit_time_ += std::clock() - start;
  }
  // [s] of the wall's clock; the limits of two of them do not live at the same time.
  double time_steps(int count, int threads) {
    parallel::ThreadLimit limit(threads);
    const auto start = std::chrono::steady_clock::now();
    limit.run([&] {
      for (int n = 0; n < count; ++n)
        step();
    });
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  // The time of sorting and putting particles in order.
  [[nodiscard]] std::clock_t commit_time() const { return commit_time_; }
  [[nodiscard]] double count() const { return static_cast<double>(fluid_->particle_count()); }

 private:
  scene::Scene scene_;
  std::unique_ptr<fluid::MpmFluid> fluid_;
  std::clock_t commit_time_ = 0;
};

void particle_steps(benchmark::State& state, scene::Kernel kernel) {
  Water water(state.range(0), kernel);
  parallel::ThreadLimit limit(1);
  const std::clock_t start = std::clock();
  while (state.KeepRunning())
    limit.run([&] { water.step(); });
  state.counters["sort_share"] =
      static_cast<double>(water.commit_time()) / static_cast<double>(std::clock() - start);
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
  double small_time = 0, large_time = 0;
  while (state.KeepRunning()) {
    small_time += small.time_steps(20, 1) / 20;
    large_time += large.time_steps(1, 1);
  }
  state.counters["ratio"] = large_time / large.count() / (small_time / small.count());
}

// `ratio`: particle steps per second over those of the plain program, the two taken in turn.
void over_plain(benchmark::State& state) {
  Water water(state.range(0), scene::Kernel::quadratic);
  bench::PlainMpm plain(state.range(0));
  double time = 0, plain_time = 0;
  while (state.KeepRunning()) {
    time += water.time_steps(3, 1) / 3;
    const auto start = std::chrono::steady_clock::now();
    plain.step(5e-5F);
    plain_time += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  const auto rounds = static_cast<double>(state.iterations());
  const double rate = rounds * water.count() / time;
  const double plain_rate = rounds * static_cast<double>(plain.particle_count()) / plain_time;
  state.counters["particle_steps"] = rate;
  state.counters["plain_particle_steps"] = plain_rate;
  state.counters["ratio"] = rate / plain_rate;
}

// `ratio`: particle steps per second of two threads over those of one.
void two_threads(benchmark::State& state) {
  Water water(state.range(0), scene::Kernel::quadratic);
  constexpr int steps = 10;
  double time_of_one = 0, time_of_two = 0;
  while (state.KeepRunning()) {
    time_of_one += water.time_steps(steps, 1);
    time_of_two += water.time_steps(steps, 2);
  }
  state.counters["particle_steps"] =
      static_cast<double>(state.iterations()) * steps * water.count() / time_of_two;
  state.counters["ratio"] = time_of_one / time_of_two;
}

// Turns in a second that two threads make which never wait for each other.
double free_turns(double seconds) {
  std::atomic<bool> is_done = false;
  std::atomic<std::int64_t> turns = 0;
  {
    const auto turn = [&] {
      std::int64_t own = 0;
      while (!is_done.load(std::memory_order_relaxed))
        ++own;
      turns += own;
    };
    std::jthread one(turn), two(turn);
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    is_done = true;
  }
  return static_cast<double>(turns) / seconds;
}

// `ratio`: the time of two threads' steps while another one works besides, over that without.
// `free`: the same of threads that never wait, which is what the system's scheduler leaves.
void stolen_core(benchmark::State& state) {
  Water water(1'000'000, scene::Kernel::quadratic);
  double alone = 0, beside = 0, free_alone = 0, free_beside = 0;
  while (state.KeepRunning()) {
    alone += water.time_steps(20, 2);
    free_alone += free_turns(1);
    std::atomic<bool> is_done = false;
    std::jthread thief([&] {
      while (!is_done.load(std::memory_order_relaxed)) {
      }
    });
    beside += water.time_steps(20, 2);
    free_beside += free_turns(1);
    is_done = true;
  }
  state.counters["ratio"] = beside / alone;
  state.counters["free"] = free_alone / free_beside;
}

// Ten million particles: `ratio`: their rate over that of a million; `bytes_a_particle`: memory
// that they, their grid and their lists take.
void ten_million(benchmark::State& state) {
  const double before = bench::resident_bytes();
  Water large(10'000'000, scene::Kernel::quadratic);
  large.time_steps(1, 1);
  const double bytes = bench::resident_bytes() - before;
  Water small(1'000'000, scene::Kernel::quadratic);
  double small_time = 0, large_time = 0;
  while (state.KeepRunning()) {
    small_time += small.time_steps(10, 1) / 10;
    large_time += large.time_steps(1, 1);
  }
  state.counters["bytes_a_particle"] = bytes / large.count();
  state.counters["ratio"] = small_time / small.count() / (large_time / large.count());
}

BENCHMARK(over_plain)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond)->Iterations(20);
BENCHMARK(two_threads)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond)->Iterations(50);
BENCHMARK(stolen_core)->Unit(benchmark::kMillisecond)->Iterations(3);
BENCHMARK(ten_million)->Unit(benchmark::kMillisecond)->Iterations(10);
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
