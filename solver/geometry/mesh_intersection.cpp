// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/mesh_intersection.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <utility>

#include "solver/geometry/sparse_grid.h"
#include "solver/geometry/triangle_intersection.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::geometry {
namespace {

const TriangleIndices& corners_of(std::span<const TriangleMesh* const> meshes, MeshTriangle id) {
  return meshes[id.mesh]->triangles[id.triangle];
}

Triangle triangle_of(const TriangleMesh& mesh, const TriangleIndices& corners) {
  const auto at = [&](std::int32_t i) { return mesh.vertices[static_cast<std::size_t>(i)]; };
  return {at(corners[0]), at(corners[1]), at(corners[2])};
}

// Moves the corners that are also in `other` to the front, in the order of `other`.
int common_corners_first(TriangleIndices& corners, const TriangleIndices& other) {
  int common = 0;
  for (const std::int32_t corner : other) {
    const auto first = corners.begin() + common;
    const auto found = std::find(first, corners.end(), corner);
    if (found == corners.end()) continue;
    std::iter_swap(first, found);
    ++common;
  }
  return common;
}

bool intersect(std::span<const TriangleMesh* const> meshes, MeshTriangle i, MeshTriangle j) {
  TriangleIndices one = corners_of(meshes, i), other = corners_of(meshes, j);
  int common = 0;
  if (i.mesh == j.mesh) {
    common = common_corners_first(one, other);
    common_corners_first(other, one);
  }
  const Triangle a = triangle_of(*meshes[i.mesh], one), b = triangle_of(*meshes[j.mesh], other);
  switch (common) {
    case 0:
      return triangles_intersect(a, b);
    case 1:
      return triangles_intersect_beyond_corner(a, b);
    case 2:
      return triangles_intersect_beyond_edge(a, b);
    default:
      return true;
  }
}

}  // namespace

std::vector<TriangleIntersection> find_intersections(std::span<const TriangleMesh* const> meshes) {
  constexpr std::int64_t unbounded = std::numeric_limits<std::int64_t>::max();
  return find_intersections(meshes, {unbounded, unbounded}).found;
}

IntersectionSearch find_intersections(std::span<const TriangleMesh* const> meshes,
                                      const IntersectionBudget& budget) {
  std::vector<MeshTriangle> ids;
  std::vector<Bounds> boxes;
  for (std::size_t mesh = 0; mesh < meshes.size(); ++mesh) {
    for (std::size_t i = 0; i < meshes[mesh]->triangles.size(); ++i) {
      const Triangle t = triangle_of(*meshes[mesh], meshes[mesh]->triangles[i]);
      ids.push_back({mesh, i});
      boxes.push_back({t.a.cwiseMin(t.b).cwiseMin(t.c), t.a.cwiseMax(t.b).cwiseMax(t.c)});
    }
  }
  SparseGrid grid;
  grid.build(boxes, {});
  constexpr std::int64_t grain = 512;
  const auto count = static_cast<std::int64_t>(boxes.size());
  std::vector<std::vector<TriangleIntersection>> found(
      static_cast<std::size_t>(parallel::chunk_count(0, count, grain)));
  // Whole numbers only add up to the same whatever the order; which pairs they leave out when they
  // run over is all that threads may change.
  std::atomic<std::int64_t> pair_total = 0;
  std::atomic<std::int64_t> found_total = 0;
  const auto within_budget = [&] {
    return pair_total.load(std::memory_order_relaxed) <= budget.pair_count &&
           found_total.load(std::memory_order_relaxed) <= budget.found_count;
  };
  parallel::parallel_for(0, count, grain, [&](std::int64_t first, std::int64_t last) {
    auto& chunk = found[static_cast<std::size_t>(first / grain)];
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
      if (!within_budget()) return;
      std::int64_t pairs = 0;
      const std::size_t found_before = chunk.size();
      grid.for_each_overlap(boxes[i], [&](std::int32_t box) {
        const auto j = static_cast<std::size_t>(box);
        if (j <= i || pairs > budget.pair_count) return;
        ++pairs;
        if (!intersect(meshes, ids[i], ids[j])) return;
        if (static_cast<std::int64_t>(chunk.size() - found_before) <= budget.found_count) {
          chunk.push_back({ids[i], ids[j]});
        }
      });
      pair_total.fetch_add(pairs, std::memory_order_relaxed);
      found_total.fetch_add(static_cast<std::int64_t>(chunk.size() - found_before),
                            std::memory_order_relaxed);
    }
  });
  std::vector<TriangleIntersection> all;
  for (const auto& chunk : found)
    all.insert(all.end(), chunk.begin(), chunk.end());
  std::sort(all.begin(), all.end());
  return {std::move(all), within_budget()};
}

}  // namespace sluice::geometry
