// SPDX-License-Identifier: Apache-2.0
#include "solver/contact/candidates.h"

#include "solver/parallel/parallel_for.h"

namespace sluice::contact {

void CandidateFinder::find(const MotionBounds& bounds, std::span<const TriangleIndices> triangles,
                           std::vector<Candidate>& candidates) {
  boxes_.resize(triangles.size());
  parallel::parallel_for(
      0, static_cast<std::int64_t>(triangles.size()), 1024,
      [&](std::int64_t first, std::int64_t last) {
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
          geometry::Bounds box = bounds.vertex_box(static_cast<std::size_t>(triangles[i][0]));
          for (std::size_t corner = 1; corner < 3; ++corner) {
            const auto vertex = static_cast<std::size_t>(triangles[i][corner]);
            const geometry::Bounds other = bounds.vertex_box(vertex);
            box.lower = box.lower.cwiseMin(other.lower);
            box.upper = box.upper.cwiseMax(other.upper);
          }
          boxes_[i] = box;
        }
      });
  grid_.build(boxes_, {});
  grid_.query(
      static_cast<std::int64_t>(bounds.t0().particles.size()),
      [&](std::int64_t i) { return bounds.particle_box(static_cast<std::size_t>(i)); }, pairs_);
  candidates.clear();
  candidates.reserve(pairs_.size());
  for (const geometry::BoxPair& pair : pairs_)
    candidates.push_back({pair.query, pair.box});
}

}  // namespace sluice::contact
