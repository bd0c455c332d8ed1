// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/pair_search.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "solver/contact/edge_mollifier.h"

namespace sluice::coupling {
namespace {

using contact::ContactPair;
using contact::PairKind;

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

// The box of some vertices, grown.
template <typename Indices>
geometry::Bounds box_of(const Indices& vertices, std::span<const Vec3> x, double margin) {
  geometry::Bounds box{x[at(vertices[0])], x[at(vertices[0])]};
  for (const std::int32_t vertex : vertices) {
    box.lower = box.lower.cwiseMin(x[at(vertex)]);
    box.upper = box.upper.cwiseMax(x[at(vertex)]);
  }
  // Covers its own rounding.
  const double grown = margin * (1 + 1e-12) +
                       1e-15 * (box.lower.cwiseAbs().cwiseMax(box.upper.cwiseAbs()).maxCoeff());
  return {box.lower.array() - grown, box.upper.array() + grown};
}

template <typename First, typename Second>
bool share_a_vertex(const First& first, const Second& second) {
  return std::ranges::any_of(first, [&](std::int32_t vertex) {
    return std::ranges::find(second, vertex) != std::end(second);
  });
}

}  // namespace

PairSearch::PairSearch(const solid::DeformableSystem& solids, double friction)
    : triangles_(solids.triangles), is_held_(solids.is_held), friction_(friction) {
  for (const std::int32_t body : solids.body_of_vertex) {
    half_thickness_.push_back(solids.bodies[at(body)].half_thickness);
    largest_thickness_ = std::max(largest_thickness_, 2 * half_thickness_.back());
  }
  for (const TriangleIndices& t : triangles_)
    points_.insert(points_.end(), t.begin(), t.end());
  std::ranges::sort(points_);
  points_.erase(std::unique(points_.begin(), points_.end()), points_.end());
  for (const EdgeIndices& e : solids.edges)
    edges_.push_back({e, (solids.positions[at(e[0])] - solids.positions[at(e[1])]).norm()});
}

// Keeps a pair whose boxes overlap if anything of it can move, and it can get as near as that.
void PairSearch::add(const ContactPair& pair, std::span<const Vec3> x, double reach, double range,
                     std::vector<ContactPair>& pairs) const {
  if (std::ranges::all_of(pair.points, [&](std::int32_t i) { return is_held_[at(i)] != 0; })) {
    return;
  }
  const double distance = std::sqrt(distance_of(pair.kind, pair.gather(x)).squared);
  const double nearer = 2 * std::numbers::sqrt3 * reach;  // Both sides, along the diagonal.
  if (distance - nearer <= (range + pair.thickness) * (1 + 1e-12)) pairs.push_back(pair);
}

void PairSearch::find(std::span<const Vec3> x, double reach, double range,
                      std::vector<ContactPair>& pairs) {
  pairs.clear();
  const double margin = reach + range + largest_thickness_;  // Of queries; the boxes have reach.

  boxes_.clear();
  for (const TriangleIndices& t : triangles_)
    boxes_.push_back(box_of(t, x, reach));
  grid_.build(boxes_);
  const auto box_of_point = [&](std::int64_t i) {
    return box_of(std::array{points_[static_cast<std::size_t>(i)]}, x, margin);
  };
  geometry::find_overlaps(grid_, static_cast<std::int64_t>(points_.size()), box_of_point,
                          collector_, overlaps_);
  for (const geometry::BoxPair& overlap : overlaps_) {
    const std::int32_t p = points_[at(overlap.first)];
    const TriangleIndices& t = triangles_[at(overlap.second)];
    if (share_a_vertex(std::array{p}, t)) continue;
    add({PairKind::point_triangle,
         {p, t[0], t[1], t[2]},
         half_thickness(p) + half_thickness(t[0]),
         friction_},
        x, reach, range, pairs);
  }

  boxes_.clear();
  for (const Edge& e : edges_)
    boxes_.push_back(box_of(e.vertices, x, reach));
  grid_.build(boxes_);
  const auto box_of_edge = [&](std::int64_t i) {
    return box_of(edges_[static_cast<std::size_t>(i)].vertices, x, margin);
  };
  geometry::find_overlaps(grid_, static_cast<std::int64_t>(edges_.size()), box_of_edge, collector_,
                          overlaps_);
  for (const geometry::BoxPair& overlap : overlaps_) {
    if (overlap.second <= overlap.first) continue;  // Each pair is found from both sides.
    const Edge &e = edges_[at(overlap.first)], &f = edges_[at(overlap.second)];
    if (share_a_vertex(e.vertices, f.vertices)) continue;
    add({PairKind::edge_edge,
         {e.vertices[0], e.vertices[1], f.vertices[0], f.vertices[1]},
         half_thickness(e.vertices[0]) + half_thickness(f.vertices[0]),
         friction_,
         contact::mollifier_range(e.length, f.length)},
        x, reach, range, pairs);
  }
}

}  // namespace sluice::coupling
