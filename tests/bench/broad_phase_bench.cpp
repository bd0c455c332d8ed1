// SPDX-License-Identifier: Apache-2.0
// Broad phases on one core: particles of water against a cloth, and a cloth against itself. The
// time of a whole step: the sets are built and all pairs are listed. In collision_step the earliest
// impacts of all pairs as well (ccd_batch.h).
//
// The cloth that collides with itself is a step of the public data of [Wang2021]: cloth-funnel from
// tests/data/ccd, and cloth-ball, too large for the repository, from the folder that
// SLUICE_CCD_SIMULATIONS names.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <random>
#include <set>

#include "solver/geometry/bvh.h"
#include "solver/geometry/ccd_batch.h"
#include "solver/geometry/mesh_file.h"
#include "solver/geometry/morton_order.h"
#include "solver/geometry/sparse_grid.h"
#include "solver/parallel/thread_limit.h"
#include "tests/unit/solver/geometry/ccd_data.h"

namespace sluice::geometry {
namespace {

using Boxes = std::vector<Bounds>;

// A wavy sheet of side x side vertices over the unit square.
Boxes cloth_boxes(int side) {
  const double edge = 1.0 / (side - 1), margin = 2e-3;
  Boxes boxes;
  const auto height = [](double x, double y) { return 0.1 * std::sin(6 * x) * std::cos(5 * y); };
  for (int i = 0; i + 1 < side; ++i) {
    for (int j = 0; j + 1 < side; ++j) {
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

// Water over the unit square: in a layer that holds the cloth, or in a cube of which a tenth does.
struct Water {
  std::vector<Vec3f> centers;
  explicit Water(std::int64_t count, double lower, double upper, bool in_space_order) {
    std::mt19937_64 random{1};
    std::uniform_real_distribution<double> uniform{0, 1};
    const auto size = static_cast<double>(count);
    for (std::int64_t i = 0; i < count; ++i) {
      const double x = in_space_order ? static_cast<double>(i) / size : uniform(random);
      centers.push_back(
          Vec3{x, uniform(random), lower + (upper - lower) * uniform(random)}.cast<float>());
    }
  }
  Bounds box(std::int64_t i) const {
    const Vec3 p = centers[static_cast<std::size_t>(i)].cast<double>();
    return {p.array() - 1e-3, p.array() + 1e-3};
  }
};

// Calls step() over and over on one thread.
template <typename Step>
void measure(benchmark::State& state, std::vector<BoxPair>& pairs, Step&& step) {
  parallel::ThreadLimit limit(1);
  limit.run(step);  // Buffers are kept from then on.
  for ([[maybe_unused]] auto _ : state)
    limit.run(step);
  state.counters["pairs"] = static_cast<double>(pairs.size());
}

// The cloth is built, the particles ask.
template <typename Phase>
void cloth_built(benchmark::State& state, double lower, double upper, bool in_space_order) {
  const Boxes cloth = cloth_boxes(100);
  const Water water(state.range(0), lower, upper, in_space_order);
  Phase phase;
  parallel::Collector<BoxPair> collector;
  std::vector<BoxPair> pairs;
  measure(state, pairs, [&] {
    phase.build(cloth);
    find_overlaps(
        phase, state.range(0), [&](std::int64_t i) { return water.box(i); }, collector, pairs);
  });
}

// The particles are built, the cloth asks.
template <typename Phase>
void particles_built(benchmark::State& state, double lower, double upper) {
  const Boxes cloth = cloth_boxes(100);
  const Water water(state.range(0), lower, upper, false);
  Phase phase;
  Boxes boxes(water.centers.size());
  parallel::Collector<BoxPair> collector;
  std::vector<BoxPair> pairs;
  measure(state, pairs, [&] {
    for (std::size_t i = 0; i < boxes.size(); ++i)
      boxes[i] = water.box(static_cast<std::int64_t>(i));
    phase.build(boxes);
    find_overlaps(
        phase, static_cast<std::int64_t>(cloth.size()),
        [&](std::int64_t i) { return cloth[static_cast<std::size_t>(i)]; }, collector, pairs);
  });
}

template <typename Phase>
void build_cloth(benchmark::State& state) {
  const Boxes cloth = cloth_boxes(100);
  Phase phase;
  std::vector<BoxPair> pairs;
  measure(state, pairs, [&] { phase.build(cloth); });
}

void refit_cloth(benchmark::State& state) {
  const Boxes cloth = cloth_boxes(100);
  Bvh bvh;
  bvh.build(cloth);
  std::vector<BoxPair> pairs;
  measure(state, pairs, [&] { bvh.refit(cloth); });
}
BENCHMARK(refit_cloth)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();

// Swept boxes of a step.
struct Step {
  std::vector<TriangleIndices> triangles;
  std::vector<EdgeIndices> edges;
  std::vector<Vec3> t0, t1;
  Boxes vertex_boxes, triangle_boxes, edge_boxes;

  Step(const std::filesystem::path& folder, const char* frame_t0, const char* frame_t1) {
    const TriangleMesh start = read(folder / "frames" / frame_t0);
    const TriangleMesh end = read(folder / "frames" / frame_t1);
    triangles = start.triangles;
    t0 = start.vertices;
    t1 = end.vertices;
    std::set<EdgeIndices> unique;
    for (const TriangleIndices& t : triangles) {
      for (std::size_t k = 0; k < 3; ++k)
        unique.insert({std::min(t[k], t[(k + 1) % 3]), std::max(t[k], t[(k + 1) % 3])});
    }
    edges.assign(unique.begin(), unique.end());
    for (std::size_t i = 0; i < start.vertices.size(); ++i) {
      vertex_boxes.push_back({start.vertices[i].cwiseMin(end.vertices[i]),
                              start.vertices[i].cwiseMax(end.vertices[i])});
    }
    for (const TriangleIndices& t : triangles)
      triangle_boxes.push_back(hull(t));
    for (const EdgeIndices& e : edges)
      edge_boxes.push_back(hull(e));
  }

 private:
  static TriangleMesh read(const std::filesystem::path& path) {
    const std::string bytes = test::read_text(path);
    return read_mesh(std::as_bytes(std::span(bytes)), MeshFormat::ply).value();
  }
  template <typename Corners>
  Bounds hull(const Corners& corners) const {
    Bounds all = vertex_boxes[static_cast<std::size_t>(corners[0])];
    for (const std::int32_t i : corners) {
      const Bounds& box = vertex_boxes[static_cast<std::size_t>(i)];
      all = {all.lower.cwiseMin(box.lower), all.upper.cwiseMax(box.upper)};
    }
    return all;
  }
};

const Step& funnel() {
  static const Step step(SLUICE_TEST_DATA "/ccd/simulation/cloth-funnel", "227.ply.xz",
                         "228.ply.xz");
  return step;
}
const Step* ball() {
  static const std::optional<Step> step = []() -> std::optional<Step> {
    const char* folder = std::getenv("SLUICE_CCD_SIMULATIONS");
    if (folder == nullptr) return std::nullopt;
    return Step(std::filesystem::path(folder) / "cloth-ball", "cloth_ball92.ply.xz",
                "cloth_ball93.ply.xz");
  }();
  return step ? &*step : nullptr;
}

// Every vertex with every triangle, and every edge with every edge, that share no vertex; and when
// each of these pairs meets first, if at all.
struct Part {
  bool vertices, edges, impacts;
};
template <typename Phase>
void self_collision(benchmark::State& state, const Step* step, const Part& part) {
  Phase faces, edges;
  parallel::Collector<BoxPair> collector;
  std::vector<BoxPair> vertex_face, edge_edge;
  std::vector<double> face_times, edge_times;
  const auto at = [](const auto& list, std::int32_t i) -> const auto& {
    return list[static_cast<std::size_t>(i)];
  };
  const auto shares_no_vertex = [list = step->triangles.data()](const BoxPair& pair) {
    const TriangleIndices& t = list[pair.second];
    return ((t[0] != pair.first) & (t[1] != pair.first) & (t[2] != pair.first)) != 0;
  };
  parallel::ThreadLimit limit(1);
  auto run = [&] {
    if (part.vertices) {
      faces.build(step->triangle_boxes);
      const std::vector<std::int32_t> order = morton_order(step->vertex_boxes);
      collector.collect(
          static_cast<std::int64_t>(step->vertex_boxes.size()), 2048,
          [&](std::int64_t first, std::int64_t last, std::vector<BoxPair>& found) {
            faces.for_overlaps(
                std::span(order).subspan(static_cast<std::size_t>(first),
                                         static_cast<std::size_t>(last - first)),
                [&](std::int32_t i) { return at(step->vertex_boxes, i); },
                [&](std::span<const BoxPair> some) { append_if(found, some, shares_no_vertex); });
          },
          vertex_face);
    }
    if (part.edges) {
      edges.build(step->edge_boxes);
      find_pairs(
          edges,
          [list = step->edges.data()](std::int32_t i, std::int32_t j) {
            const auto &a = list[i], &b = list[j];
            return ((a[0] != b[0]) & (a[0] != b[1]) & (a[1] != b[0]) & (a[1] != b[1])) != 0;
          },
          collector, edge_edge);
    }
    if (part.impacts) {
      const MovingPoints points{step->t0, step->t1};
      face_times.resize(vertex_face.size());
      edge_times.resize(edge_edge.size());
      first_contacts(points, points, step->triangles, vertex_face, 0, face_times);
      first_contacts(points, step->edges, edge_edge, 0, edge_times);
    }
  };
  limit.run(run);  // Buffers are kept from then on.
  for ([[maybe_unused]] auto _ : state)
    limit.run(run);
  state.counters["vertex_face"] = static_cast<double>(vertex_face.size());
  state.counters["edge_edge"] = static_cast<double>(edge_edge.size());
}

template <typename Phase>
void build_edges(benchmark::State& state) {
  Phase phase;
  std::vector<BoxPair> pairs;
  measure(state, pairs, [&] { phase.build(ball()->edge_boxes); });
}

template <typename Phase>
void register_all(const std::string& phase) {
  const auto add = [&](const std::string& name, auto body) {
    return benchmark::RegisterBenchmark((name + "/" + phase).c_str(), body)
        ->Unit(benchmark::kMillisecond)
        ->MeasureProcessCPUTime();
  };
  using State = benchmark::State;
  add("build_cloth", build_cloth<Phase>);
  add("cloth_built/cube", [](State& s) { cloth_built<Phase>(s, 0, 1, false); })
      ->Arg(1'000'000)
      ->Arg(10'000'000);
  add("cloth_built/cube_in_order", [](State& s) {
    cloth_built<Phase>(s, 0, 1, true);
  })->Arg(1'000'000);
  add("cloth_built/layer", [](State& s) {
    cloth_built<Phase>(s, -0.1, 0.1, false);
  })->Arg(1'000'000);
  add("cloth_built/layer_in_order", [](State& s) {
    cloth_built<Phase>(s, -0.1, 0.1, true);
  })->Arg(1'000'000);
  add("particles_built/cube", [](State& s) { particles_built<Phase>(s, 0, 1); })->Arg(1'000'000);
  add("self_collision/funnel",
      [](State& s) { self_collision<Phase>(s, &funnel(), {true, true, false}); });
  if (ball() == nullptr) return;
  add("self_collision/ball",
      [](State& s) { self_collision<Phase>(s, ball(), {true, true, false}); });
  add("collision_step/ball",
      [](State& s) { self_collision<Phase>(s, ball(), {true, true, true}); });
  add("self_collision/ball_vertices",
      [](State& s) { self_collision<Phase>(s, ball(), {true, false, false}); });
  add("self_collision/ball_edges",
      [](State& s) { self_collision<Phase>(s, ball(), {false, true, false}); });
  add("build_edges", build_edges<Phase>);
}

[[maybe_unused]] const bool is_registered = [] {
  register_all<SparseGrid>("grid");
  register_all<Bvh>("bvh");
  return true;
}();

}  // namespace
}  // namespace sluice::geometry
