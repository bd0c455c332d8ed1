// SPDX-License-Identifier: Apache-2.0
#include "solver/contact/candidates.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>

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

constexpr std::int64_t candidates_grain = 2048;

geometry::Bounds widened(const geometry::Bounds& box, double by) {
  return {box.lower.array() - by, box.upper.array() + by};
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

void CandidateFinder::find(const MotionBounds& bounds, const Surfaces& surfaces, double reach,
                           Candidates& candidates) {
  candidates.clear();
  reach_ = reach;
  const bool has_particles = !bounds.t0().particles.empty();
  const bool has_others = surfaces.touches_itself.size() > 1;
  if (has_particles || has_others) {
    measure_triangles(bounds, surfaces.triangles);
    grid_.build(boxes_);
    find_particles(bounds, candidates.points);
  }
  if (surfaces.body_of_vertex.empty()) return;
  others_.clear();
  if (has_others) {
    measure_bodies(bounds, surfaces);
    find_vertices(bounds, surfaces, others_.points);
    find_edges(bounds, surfaces, others_.edges);
  }
  own_.find(bounds, surfaces, reach, own_candidates_);
  std::ranges::merge(own_candidates_.points, others_.points, std::back_inserter(candidates.points),
                     {}, &Candidate::point, &Candidate::point);
  std::ranges::merge(own_candidates_.edges, others_.edges, std::back_inserter(candidates.edges), {},
                     &EdgeCandidate::first, &EdgeCandidate::first);
}

bool CandidateFinder::are_slabs_apart(std::int32_t triangle, const geometry::Bounds& box) const {
  const Slab& slab = slabs_[static_cast<std::size_t>(triangle)];
  const Range range = range_along(slab.normal, box);
  return range.lower > slab.upper || range.upper < slab.lower;
}

void CandidateFinder::find_particles(const MotionBounds& bounds,
                                     std::vector<Candidate>& candidates) {
  const std::span<const std::int32_t> near = near_particles_.find(bounds, boxes_, grid_, reach_);
  const auto find = [&](std::int64_t first, std::int64_t last, std::vector<Candidate>& found) {
    for (const std::int32_t i :
         near.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first))) {
      const geometry::Bounds box =
          widened(bounds.particle_box(static_cast<std::size_t>(i)), reach_);
      grid_.for_each_overlap(box, [&](std::int32_t triangle) {
        if (!are_slabs_apart(triangle, box)) found.push_back({i, triangle});
      });
    }
  };
  points_.collect(static_cast<std::int64_t>(near.size()), candidates_grain, find, candidates);
}

void CandidateFinder::measure_bodies(const MotionBounds& bounds, const Surfaces& surfaces) {
  constexpr double far = std::numeric_limits<double>::infinity();
  const std::size_t count = surfaces.touches_itself.size();
  bodies_.assign(count, {Vec3::Constant(far), Vec3::Constant(-far)});
  for (std::size_t v = 0; v < surfaces.body_of_vertex.size(); ++v) {
    if (surfaces.body_of_vertex[v] < 0) continue;
    geometry::Bounds& body = bodies_[static_cast<std::size_t>(surfaces.body_of_vertex[v])];
    const geometry::Bounds box = bounds.vertex_box(v);
    body = {body.lower.cwiseMin(box.lower), body.upper.cwiseMax(box.upper)};
  }
  neighbours_.resize(count);
  for (std::size_t a = 0; a < count; ++a) {
    neighbours_[a].clear();
    for (std::size_t b = 0; b < count; ++b) {
      if (a != b && geometry::overlap(widened(bodies_[a], reach_), bodies_[b]))
        neighbours_[a].push_back(static_cast<std::int32_t>(b));
    }
  }
}

bool CandidateFinder::is_near_another(std::int32_t body, const geometry::Bounds& box) const {
  return std::ranges::any_of(neighbours_[static_cast<std::size_t>(body)], [&](std::int32_t other) {
    return geometry::overlap(box, bodies_[static_cast<std::size_t>(other)]);
  });
}

void CandidateFinder::find_vertices(const MotionBounds& bounds, const Surfaces& surfaces,
                                    std::vector<Candidate>& candidates) {
  const auto first_vertex = static_cast<std::int32_t>(bounds.t0().particles.size());
  const auto find = [&](std::int64_t first, std::int64_t last, std::vector<Candidate>& found) {
    for (auto vertex = static_cast<std::int32_t>(first); vertex < last; ++vertex) {
      const std::int32_t body = surfaces.body_of_vertex[static_cast<std::size_t>(vertex)];
      if (body < 0) continue;
      const geometry::Bounds box =
          widened(bounds.vertex_box(static_cast<std::size_t>(vertex)), reach_);
      if (!is_near_another(body, box)) continue;
      grid_.for_each_overlap(box, [&](std::int32_t triangle) {
        const std::int32_t corner = surfaces.triangles[static_cast<std::size_t>(triangle)][0];
        if (surfaces.body_of_vertex[static_cast<std::size_t>(corner)] == body) return;
        if (!are_slabs_apart(triangle, box)) found.push_back({first_vertex + vertex, triangle});
      });
    }
  };
  points_.collect(static_cast<std::int64_t>(surfaces.body_of_vertex.size()), candidates_grain, find,
                  candidates);
}

void CandidateFinder::find_edges(const MotionBounds& bounds, const Surfaces& surfaces,
                                 std::vector<EdgeCandidate>& candidates) {
  boxes_.clear();
  for (const auto& [a, b] : surfaces.edges) {
    const geometry::Bounds at_a = bounds.vertex_box(static_cast<std::size_t>(a)),
                           at_b = bounds.vertex_box(static_cast<std::size_t>(b));
    boxes_.push_back({at_a.lower.cwiseMin(at_b.lower), at_a.upper.cwiseMax(at_b.upper)});
  }
  grid_.build(boxes_);
  const auto body_of = [&](std::int32_t edge) {
    const std::int32_t end = surfaces.edges[static_cast<std::size_t>(edge)][0];
    return surfaces.body_of_vertex[static_cast<std::size_t>(end)];
  };
  const auto find = [&](std::int64_t first, std::int64_t last, std::vector<EdgeCandidate>& found) {
    for (auto edge = static_cast<std::int32_t>(first); edge < last; ++edge) {
      const geometry::Bounds box = widened(boxes_[static_cast<std::size_t>(edge)], reach_);
      if (!is_near_another(body_of(edge), box)) continue;
      grid_.for_each_overlap(box, [&](std::int32_t other) {
        if (other > edge && body_of(other) != body_of(edge)) found.push_back({edge, other});
      });
    }
  };
  edges_.collect(static_cast<std::int64_t>(surfaces.edges.size()), candidates_grain, find,
                 candidates);
}

}  // namespace sluice::contact
