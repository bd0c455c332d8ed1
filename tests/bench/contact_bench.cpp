// SPDX-License-Identifier: Apache-2.0
// Contact in one substep of a scene like water on a cloth: 8,192 triangles of a wavy cloth, 60,000
// particles, a twelfth of them in a layer on it that the substep would push through.
#include <benchmark/benchmark.h>

#include <cmath>
#include <random>

#include "solver/contact/candidates.h"
#include "solver/contact/gap.h"
#include "solver/contact/step_filter.h"
#include "tests/unit/solver/solid/grid_mesh.h"

namespace sluice::contact {
namespace {

struct Substep {
  std::vector<Vec3f> particles_t0, particles_t1;
  std::vector<Vec3> vertices_t0, vertices_t1;
  std::vector<TriangleIndices> triangles;

  Substep() {
    constexpr int side = 64, particle_count = 60'000;
    constexpr double slide = 1e-3, fall = 1e-3;  // [m] in the substep
    std::mt19937_64 random{1};
    std::uniform_real_distribution<double> uniform{0, 1};
    const auto height = [](double x, double y) { return 0.1 * std::sin(6 * x) * std::cos(5 * y); };
    const geometry::TriangleMesh flat = solid::grid_mesh(side + 1, side + 1, 1.0 / side);
    triangles = flat.triangles;
    for (const Vec3& x : flat.vertices) {
      vertices_t0.emplace_back(x.x(), x.y(), height(x.x(), x.y()));
      vertices_t1.push_back(vertices_t0.back() - Vec3{0, 0, 0.3 * fall * uniform(random)});
    }
    // In space order, as the fluid keeps them.
    for (int i = 0; i < particle_count; ++i) {
      const double x = (i + uniform(random)) / particle_count, y = uniform(random);
      const double up = i % 12 == 0 ? 2e-3 + 1e-3 * uniform(random) : 0.01 + 0.2 * uniform(random);
      const Vec3 start{x, y, height(x, y) + up};
      particles_t0.push_back(start.cast<float>());
      particles_t1.push_back(
          (start + Vec3{slide, 0, i % 12 == 0 ? -3 * fall : -fall}).cast<float>());
    }
  }
  PointsView t0() const { return {particles_t0, vertices_t0}; }
  PointsSpan t1() { return {particles_t1, vertices_t1}; }

  PointsView predicted() const { return {particles_t1, vertices_t1}; }
  Surfaces surfaces() const { return {triangles, {}}; }
};

struct Found {
  Substep substep;
  MotionBounds bounds;
  Candidates candidates;
  Found() {
    bounds.begin(substep.t0(), substep.t1(), 5e-4);
    CandidateFinder().find(bounds, substep.surfaces(), 1e-3, candidates);
  }
  PairsView pairs() const { return {substep.surfaces(), candidates}; }
};

void find_candidates(benchmark::State& state) {
  Substep substep;
  MotionBounds bounds;
  CandidateFinder finder;
  Candidates candidates;
  for ([[maybe_unused]] auto _ : state) {
    bounds.begin(substep.t0(), substep.t1(), 5e-4);
    finder.find(bounds, substep.surfaces(), 1e-3, candidates);
  }
  state.counters["candidates"] = static_cast<double>(candidates.points.size());
}
BENCHMARK(find_candidates)->Unit(benchmark::kMicrosecond)->UseRealTime();

void measure_gaps(benchmark::State& state) {
  Found found;
  double sum = 0;
  for ([[maybe_unused]] auto _ : state) {
    for (std::size_t i = 0; i < found.candidates.points.size(); ++i) {
      const auto indices = found.pairs().indices(i, found.substep.particles_t0.size());
      sum += measure_gap(PairKind::point_triangle, places(indices, found.substep.t0()),
                         places(indices, found.substep.predicted()))
                 .distance;
    }
    benchmark::DoNotOptimize(sum);
  }
  state.SetItemsProcessed(state.iterations() *
                          static_cast<std::int64_t>(found.candidates.points.size()));
}
BENCHMARK(measure_gaps)->Unit(benchmark::kMicrosecond);

void filter(benchmark::State& state) {
  Found found;
  StepFilter step_filter;
  FilterReport report;
  for ([[maybe_unused]] auto _ : state) {
    state.PauseTiming();
    Substep fresh = found.substep;
    state.ResumeTiming();
    report = step_filter.limit(found.bounds, found.pairs(), FilterMethod::local, fresh.t1());
  }
  state.counters["hits"] = static_cast<double>(report.hit_count);
  state.counters["rounds"] = report.round_count;
}
BENCHMARK(filter)->Unit(benchmark::kMicrosecond)->UseRealTime();

}  // namespace
}  // namespace sluice::contact
