// SPDX-License-Identifier: Apache-2.0
// What the crossing certificate adds to a substep of 60,000 particles and 8,192 triangles: a scene
// of 2 s has some 12,000 of them.
#include <benchmark/benchmark.h>

#include <cmath>
#include <random>

#include "solver/certificate/crossing_certificate.h"
#include "tests/unit/solver/solid/grid_mesh.h"

namespace sluice::certificate {
namespace {

void on_substep(benchmark::State& state) {
  constexpr int side = 64, particle_count = 60'000;
  std::mt19937_64 random{1};
  std::uniform_real_distribution<double> uniform{0, 1};
  const auto height = [](double x, double y) { return 0.1 * std::sin(6 * x) * std::cos(5 * y); };
  const geometry::TriangleMesh flat = solid::grid_mesh(side + 1, side + 1, 1.0 / side);
  std::vector<Vec3> vertices_t0, vertices_t1;
  for (const Vec3& x : flat.vertices) {
    vertices_t0.emplace_back(x.x(), x.y(), height(x.x(), x.y()));
    vertices_t1.push_back(vertices_t0.back() - Vec3{0, 0, 3e-4 * uniform(random)});
  }
  std::vector<Vec3f> particles_t0, particles_t1;
  for (int i = 0; i < particle_count; ++i) {
    const double x = (i + uniform(random)) / particle_count, y = uniform(random);
    const Vec3 start{x, y, height(x, y) + 2e-3 + (i % 12 == 0 ? 1e-3 : 0.2) * uniform(random)};
    particles_t0.push_back(start.cast<float>());
    particles_t1.push_back((start + Vec3{1e-3, 0, -2e-4}).cast<float>());
  }
  CrossingCertificate certificate;
  for ([[maybe_unused]] auto _ : state) {
    certificate.on_substep(
        {1, 1, particles_t0, particles_t1, vertices_t0, vertices_t1, flat.triangles});
  }
  const auto substeps = static_cast<double>(certificate.substep_count());
  state.counters["pairs"] = static_cast<double>(certificate.pair_count()) / substeps;
  state.counters["exact"] = static_cast<double>(certificate.exact_count()) / substeps;
  state.counters["crossings"] = static_cast<double>(certificate.crossing_count()) / substeps;
}
BENCHMARK(on_substep)->Unit(benchmark::kMicrosecond)->UseRealTime();

}  // namespace
}  // namespace sluice::certificate
