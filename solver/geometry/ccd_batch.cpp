// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/ccd_batch.h"

#include <cassert>
#include <cstddef>

#include "solver/geometry/ccd/batch.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::geometry {
namespace {

static_assert(sizeof(Vec3) == 3 * sizeof(double) && sizeof(BoxPair) == 2 * sizeof(std::int32_t) &&
              sizeof(TriangleIndices) == 3 * sizeof(std::int32_t) &&
              sizeof(EdgeIndices) == 2 * sizeof(std::int32_t));

const ccd::Kernels& kernels_of(InstructionSet instruction_set) {
  assert(instruction_set <= best_instruction_set());
#ifdef SLUICE_CCD_X86
  if (instruction_set == InstructionSet::avx512) return ccd::avx512_kernels;
  if (instruction_set == InstructionSet::avx2) return ccd::avx2_kernels;
#endif
  return ccd::scalar_kernels;
}

const double* coordinates(std::span<const Vec3> points) {
  return points.empty() ? nullptr : points.front().data();
}

template <typename Primitive>
const std::int32_t* indices(std::span<const Primitive> primitives) {
  return primitives.empty() ? nullptr : primitives.front().data();
}

void run(const ccd::Batch& batch, std::size_t count,
         void (*kernel)(const ccd::Batch&, std::size_t, std::size_t)) {
  parallel::parallel_for(0, static_cast<std::int64_t>(count), ccd::most_queries,
                         [&](std::int64_t first, std::int64_t last) {
                           kernel(batch, static_cast<std::size_t>(first),
                                  static_cast<std::size_t>(last - first));
                         });
}

}  // namespace

InstructionSet best_instruction_set() noexcept {
#ifdef SLUICE_CCD_X86
  static const InstructionSet best = [] {
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
      return InstructionSet::avx512;
    }
    return __builtin_cpu_supports("avx2") ? InstructionSet::avx2 : InstructionSet::scalar;
  }();
  return best;
#else
  return InstructionSet::scalar;
#endif
}

void first_contacts(const MovingPoints& points, const MovingPoints& vertices,
                    std::span<const TriangleIndices> triangles, std::span<const BoxPair> pairs,
                    double minimum_distance, std::span<double> times,
                    InstructionSet instruction_set) {
  assert(points.t0.size() == points.t1.size() && vertices.t0.size() == vertices.t1.size());
  assert(pairs.size() == times.size() && minimum_distance >= 0);
  if (pairs.empty()) return;
  run({{coordinates(points.t0), coordinates(points.t1), nullptr},
       {coordinates(vertices.t0), coordinates(vertices.t1), indices(triangles)},
       &pairs.front().first,
       minimum_distance,
       times.data()},
      pairs.size(), kernels_of(instruction_set).point_triangle);
}

void first_contacts(const MovingPoints& vertices, std::span<const EdgeIndices> edges,
                    std::span<const BoxPair> pairs, double minimum_distance,
                    std::span<double> times, InstructionSet instruction_set) {
  assert(vertices.t0.size() == vertices.t1.size());
  assert(pairs.size() == times.size() && minimum_distance >= 0);
  if (pairs.empty()) return;
  const ccd::Batch::Side side{coordinates(vertices.t0), coordinates(vertices.t1), indices(edges)};
  run({side, side, &pairs.front().first, minimum_distance, times.data()}, pairs.size(),
      kernels_of(instruction_set).edge_edge);
}

}  // namespace sluice::geometry
