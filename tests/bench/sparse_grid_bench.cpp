// SPDX-License-Identifier: Apache-2.0
// The broad phase of one substep: boxes of a cloth's triangles, queried by particles in a block of
// water of which a layer is near the cloth.
#include <benchmark/benchmark.h>

#include <cmath>
#include <random>

#include "solver/geometry/sparse_grid.h"

namespace sluice::geometry {
namespace {

std::vector<Bounds> cloth_boxes(int side) {
  const double edge = 1.0 / side, margin = 2e-3;
  std::vector<Bounds> boxes;
  const auto height = [](double x, double y) { return 0.1 * std::sin(6 * x) * std::cos(5 * y); };
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      for (int half = 0; half < 2; ++half) {
        Bounds box{Vec3::Constant(1e9), Vec3::Constant(-1e9)};
        for (const auto& [u, v] : {std::pair{half, half}, std::pair{1, 0}, std::pair{0, 1}}) {
          const double x = (i + u) * edge, y = (j + v) * edge;
          const Vec3 corner{x, y, height(x, y)};
          box.lower = box.lower.cwiseMin(corner);
          box.upper = box.upper.cwiseMax(corner);
        }
        boxes.push_back({box.lower.array() - margin, box.upper.array() + margin});
      }
    }
  }
  return boxes;
}

void build(benchmark::State& state) {
  const auto boxes = cloth_boxes(static_cast<int>(state.range(0)));
  SparseGrid grid;
  for ([[maybe_unused]] auto _ : state)
    grid.build(boxes, {});
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(boxes.size()));
}
BENCHMARK(build)->Arg(64)->Arg(100)->Unit(benchmark::kMicrosecond);

void query(benchmark::State& state) {
  SparseGrid grid;
  grid.build(cloth_boxes(64), {});
  std::mt19937_64 random{1};
  std::uniform_real_distribution<float> uniform{0, 1};
  std::vector<Vec3f> particles(static_cast<std::size_t>(state.range(0)));
  for (Vec3f& p : particles)
    p = {uniform(random), uniform(random), uniform(random)};
  std::vector<BoxPair> pairs;
  for ([[maybe_unused]] auto _ : state) {
    grid.query(
        state.range(0),
        [&](std::int64_t i) -> Bounds {
          const Vec3 p = particles[static_cast<std::size_t>(i)].cast<double>();
          return {p.array() - 1e-3, p.array() + 1e-3};
        },
        pairs);
  }
  state.counters["pairs"] = static_cast<double>(pairs.size());
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(query)->Arg(60'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace sluice::geometry
