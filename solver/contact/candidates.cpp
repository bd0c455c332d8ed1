// SPDX-License-Identifier: Apache-2.0
#include "solver/contact/candidates.h"

#include <algorithm>
#include <array>

#include "solver/parallel/parallel_for.h"

namespace sluice::contact {
namespace {

// The range of direction . x over a box, widened for the rounding of both sums: 3 products and 2
// sums are off by less than 4 u sum |direction_k| |x_k|, u = 1.1e-16.
struct Range {
  double lower, upper;
};
Range range_along(const Vec3& direction, const geometry::Bounds& box) {
  const Vec3 center = 0.5 * (box.lower + box.upper), half = 0.5 * (box.upper - box.lower);
  const Vec3 sizes = direction.cwiseAbs();
  const double middle = direction.dot(center);
  const double radius = sizes.dot(half) + 2e-15 * sizes.dot(center.cwiseAbs() + half);
  return {middle - radius, middle + radius};
}

}  // namespace

void CandidateFinder::measure_triangles(const MotionBounds& bounds,
                                        std::span<const TriangleIndices> triangles) {
  boxes_.resize(triangles.size());
  slabs_.resize(triangles.size());
  parallel::parallel_for(
      0, static_cast<std::int64_t>(triangles.size()), 512,
      [&](std::int64_t first, std::int64_t last) {
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
          std::array<std::size_t, 3> corners{};
          for (std::size_t k = 0; k < 3; ++k) {
            corners[k] = static_cast<std::size_t>(triangles[i][k]);
          }
          const auto& x = bounds.t0().vertices;
          const Vec3 normal =
              (x[corners[1]] - x[corners[0]]).cross(x[corners[2]] - x[corners[0]]).normalized();
          Slab& slab = slabs_[i];
          for (std::size_t k = 0; k < 3; ++k) {
            const geometry::Bounds box = bounds.vertex_box(corners[k]);
            const Range range = range_along(normal, box);
            if (k == 0) {
              boxes_[i] = box;
              slab = {normal, range.lower, range.upper};
              continue;
            }
            boxes_[i].lower = boxes_[i].lower.cwiseMin(box.lower);
            boxes_[i].upper = boxes_[i].upper.cwiseMax(box.upper);
            slab.lower = std::min(slab.lower, range.lower);
            slab.upper = std::max(slab.upper, range.upper);
          }
        }
      });
}

void CandidateFinder::find(const MotionBounds& bounds, std::span<const TriangleIndices> triangles,
                           std::span<const std::int32_t> body_of_vertex,
                           std::vector<Candidate>& candidates) {
  measure_triangles(bounds, triangles);
  grid_.build(boxes_, {});
  constexpr std::int64_t grain = 2048;
  const std::size_t particle_count = bounds.t0().particles.size();
  const auto count = static_cast<std::int64_t>(particle_count + body_of_vertex.size());
  const auto chunks = static_cast<std::size_t>(parallel::chunk_count(0, count, grain));
  if (chunks_.size() < chunks) chunks_.resize(chunks);
  parallel::parallel_for(0, count, grain, [&](std::int64_t first, std::int64_t last) {
    std::vector<Candidate>& found = chunks_[static_cast<std::size_t>(first / grain)];
    found.clear();
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
      const bool is_particle = i < particle_count;
      const std::int32_t body = is_particle ? -1 : body_of_vertex[i - particle_count];
      if (!is_particle && body < 0) continue;
      const geometry::Bounds box =
          is_particle ? bounds.particle_box(i) : bounds.vertex_box(i - particle_count);
      grid_.for_each_overlap(box, [&](std::int32_t triangle) {
        if (!is_particle) {
          const std::int32_t corner = triangles[static_cast<std::size_t>(triangle)][0];
          if (body_of_vertex[static_cast<std::size_t>(corner)] == body) return;
        }
        const Slab& slab = slabs_[static_cast<std::size_t>(triangle)];
        const Range range = range_along(slab.normal, box);
        if (range.lower > slab.upper || range.upper < slab.lower) return;
        found.push_back({static_cast<std::int32_t>(i), triangle});
      });
    }
  });
  candidates.clear();
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    candidates.insert(candidates.end(), chunks_[chunk].begin(), chunks_[chunk].end());
  }
}

}  // namespace sluice::contact
