// SPDX-License-Identifier: Apache-2.0
// Narrow phase on the collision data of tests/data/ccd, on one core: all pairs whose swept boxes
// overlap, and those that collide. SLUICE_CCD_DATA may name a folder like that one with more of it;
// cloth-ball is read if it is there. "ns" is CPU time a query; "gathers" the same as a multiple of
// reading the query's points one by one.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <memory>

#include "solver/geometry/ccd.h"
#include "solver/geometry/ccd_batch.h"
#include "solver/parallel/thread_limit.h"
#include "tests/unit/solver/geometry/ccd_step.h"

namespace sluice::test {
namespace {

using geometry::BoxPair;
using geometry::InstructionSet;

enum class Kind { vertex_face, edge_edge };

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Queries as a simulator has them, with the truth.
struct Queries {
  std::vector<Vec3> t0, t1;
  std::vector<TriangleIndices> triangles;
  std::vector<EdgeIndices> edges;
  std::vector<BoxPair> pairs;
  std::vector<bool> collide;
};

// In the order in which a broad phase finds them.
Queries read_step(const std::filesystem::path& simulations, const StepFiles& files, Kind kind) {
  const SimulatedStep step(simulations, files);
  const bool is_face = kind == Kind::vertex_face;
  Queries queries{step.vertices_t0(),
                  step.vertices_t1(),
                  step.triangles(),
                  step.edges(),
                  is_face ? step.vertex_face_pairs() : step.edge_edge_pairs(),
                  {}};
  std::sort(queries.pairs.begin(), queries.pairs.end(), [](const BoxPair& a, const BoxPair& b) {
    return std::pair(a.first, a.second) < std::pair(b.first, b.second);
  });
  const Collisions truth = is_face ? step.vertex_face_collisions() : step.edge_edge_collisions();
  for (const BoxPair& pair : queries.pairs)
    queries.collide.push_back(truth.contains({pair.first, pair.second}));
  return queries;
}

Queries read_handcrafted(const std::filesystem::path& data, Kind kind) {
  Queries queries;
  const char* folder = kind == Kind::vertex_face ? "vertex-face" : "edge-edge";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(data / "handcrafted")) {
    if (!entry.is_regular_file() || entry.path().parent_path().filename() != folder) continue;
    for (const KnownQuery& query : read_queries(entry.path())) {
      const auto first = static_cast<std::int32_t>(queries.t0.size());
      queries.t0.insert(queries.t0.end(), query.points.begin(), query.points.begin() + 4);
      queries.t1.insert(queries.t1.end(), query.points.begin() + 4, query.points.end());
      const auto edge = static_cast<std::int32_t>(queries.edges.size());
      const auto face = static_cast<std::int32_t>(queries.triangles.size());
      queries.triangles.push_back({first + 1, first + 2, first + 3});
      queries.edges.push_back({first, first + 1});
      queries.edges.push_back({first + 2, first + 3});
      queries.pairs.push_back(kind == Kind::vertex_face ? BoxPair{first, face}
                                                        : BoxPair{edge, edge + 1});
      queries.collide.push_back(query.meets);
    }
  }
  return queries;
}

Queries colliding(Queries queries) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < queries.pairs.size(); ++i) {
    if (queries.collide[i]) queries.pairs[kept++] = queries.pairs[i];
  }
  queries.pairs.resize(kept);
  queries.collide.assign(kept, true);
  return queries;
}

std::array<Vec3, 8> points_of(const Queries& queries, Kind kind, const BoxPair& pair) {
  const auto at = [](std::int32_t i) { return static_cast<std::size_t>(i); };
  std::array<std::size_t, 4> corners;
  if (kind == Kind::vertex_face) {
    const TriangleIndices& t = queries.triangles[at(pair.second)];
    corners = {at(pair.first), at(t[0]), at(t[1]), at(t[2])};
  } else {
    const EdgeIndices &one = queries.edges[at(pair.first)], &other = queries.edges[at(pair.second)];
    corners = {at(one[0]), at(one[1]), at(other[0]), at(other[1])};
  }
  std::array<Vec3, 8> points;
  for (std::size_t i = 0; i < 4; ++i) {
    points[i] = queries.t0[corners[i]];
    points[i + 4] = queries.t1[corners[i]];
  }
  return points;
}

double solve_one(Kind kind, const std::array<Vec3, 8>& points) {
  const auto time = kind == Kind::vertex_face ? geometry::first_contact(point_triangle(points))
                                              : geometry::first_contact(edge_edge(points));
  return time.value_or(geometry::no_contact);
}

// [s] What reading the points of a query takes.
double gather_seconds(const Queries& queries, Kind kind) {
  constexpr std::size_t least_reads = 3'000'000;  // Some 30 ms, of which the clock shows 1 us.
  const std::size_t rounds = 1 + least_reads / queries.pairs.size();
  double best = 1e9;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const double start = cpu_seconds();
    for (std::size_t round = 0; round < rounds; ++round) {
      for (const BoxPair& pair : queries.pairs) {
        Vec3 sum = Vec3::Zero();
        for (const Vec3& point : points_of(queries, kind, pair))
          sum += point;
        benchmark::DoNotOptimize(sum);
      }
    }
    best = std::min(best, cpu_seconds() - start);
  }
  return best / static_cast<double>(rounds * queries.pairs.size());
}

// [s] The slowest query, each at the best of some runs.
double slowest_seconds(const Queries& queries, Kind kind) {
  std::chrono::duration<double> slowest{0};
  for (const BoxPair& pair : queries.pairs) {
    const std::array<Vec3, 8> points = points_of(queries, kind, pair);
    std::chrono::duration<double> best{1};
    for (int repeat = 0; repeat < 4; ++repeat) {
      const auto start = std::chrono::steady_clock::now();
      benchmark::DoNotOptimize(solve_one(kind, points));
      best =
          std::min<std::chrono::duration<double>>(best, std::chrono::steady_clock::now() - start);
    }
    slowest = std::max(slowest, best);
  }
  return slowest.count();
}

void report(benchmark::State& state, const Queries& queries, Kind kind, double seconds,
            const std::vector<double>& times) {
  int false_positives = 0, false_negatives = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const bool is_found = times[i] <= 1;
    false_positives += is_found && !queries.collide[i] ? 1 : 0;
    false_negatives += !is_found && queries.collide[i] ? 1 : 0;
  }
  const double a_query = seconds / (static_cast<double>(state.iterations()) *
                                    static_cast<double>(queries.pairs.size()));
  state.counters["ns"] = 1e9 * a_query;
  state.counters["gathers"] = a_query / gather_seconds(queries, kind);
  state.counters["queries"] = static_cast<double>(queries.pairs.size());
  state.counters["false_positives"] = false_positives;
  state.counters["false_negatives"] = false_negatives;
}

void batched(benchmark::State& state, const Queries& queries, Kind kind, InstructionSet set) {
  parallel::ThreadLimit one_core(1);
  std::vector<double> times(queries.pairs.size());
  const geometry::MovingPoints points{queries.t0, queries.t1};
  const double start = cpu_seconds();
  one_core.run([&] {
    for ([[maybe_unused]] auto _ : state) {
      if (kind == Kind::vertex_face) {
        geometry::first_contacts(points, points, queries.triangles, queries.pairs, 0, times, set);
      } else {
        geometry::first_contacts(points, queries.edges, queries.pairs, 0, times, set);
      }
    }
  });
  report(state, queries, kind, cpu_seconds() - start, times);
}

void single(benchmark::State& state, const Queries& queries, Kind kind) {
  std::vector<double> times(queries.pairs.size());
  const double start = cpu_seconds();
  for ([[maybe_unused]] auto _ : state) {
    for (std::size_t i = 0; i < times.size(); ++i)
      times[i] = solve_one(kind, points_of(queries, kind, queries.pairs[i]));
  }
  report(state, queries, kind, cpu_seconds() - start, times);
  if (times.size() < 1'000'000) {
    state.counters["slowest_us"] = 1e6 * slowest_seconds(queries, kind);
  }
}

void add(const std::string& name, Kind kind, const std::shared_ptr<const Queries>& queries) {
  const std::string label = name + (kind == Kind::vertex_face ? "/vertex_face" : "/edge_edge");
  benchmark::RegisterBenchmark((label + "/single").c_str(), [=](benchmark::State& state) {
    single(state, *queries, kind);
  })->Unit(benchmark::kMillisecond);
  for (const auto& [set, suffix] : {std::pair{InstructionSet::avx2, "/batched_avx2"},
                                    std::pair{InstructionSet::avx512, "/batched_avx512"}}) {
    if (set > geometry::best_instruction_set()) continue;
    benchmark::RegisterBenchmark((label + suffix).c_str(), [=](benchmark::State& state) {
      batched(state, *queries, kind, set);
    })->Unit(benchmark::kMillisecond);
  }
}

void add_step(const std::filesystem::path& simulations, const StepFiles& files) {
  for (const Kind kind : {Kind::vertex_face, Kind::edge_edge}) {
    const auto all = std::make_shared<const Queries>(read_step(simulations, files, kind));
    add(files.folder, kind, all);
    add(std::string(files.folder) + "_colliding", kind,
        std::make_shared<const Queries>(colliding(*all)));
  }
}

}  // namespace
}  // namespace sluice::test

int main(int argc, char** argv) {
  using namespace sluice::test;
  benchmark::Initialize(&argc, argv);
  const char* given = std::getenv("SLUICE_CCD_DATA");
  const std::filesystem::path data = given != nullptr ? given : SLUICE_TEST_DATA "/ccd";
  for (const Kind kind : {Kind::vertex_face, Kind::edge_edge}) {
    add("handcrafted", kind, std::make_shared<const Queries>(read_handcrafted(data, kind)));
  }
  for (const StepFiles& files : {cloth_funnel, cloth_ball}) {
    if (exists(data / "simulation" / files.folder)) add_step(data / "simulation", files);
  }
  benchmark::RunSpecifiedBenchmarks();
}
