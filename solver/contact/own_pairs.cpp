// SPDX-License-Identifier: Apache-2.0
#include "solver/contact/own_pairs.h"

#include <algorithm>

namespace sluice::contact {
namespace {

// Substeps that a list is made for at most, if vertices move on as fast.
constexpr double substeps_of_pairs = 4;
// The margin, as a part of the edges' mean length: beyond, lists grow with its square.
constexpr double length_part = 0.25;

constexpr std::int64_t own_pairs_grain = 2048;

bool touches_itself(const Surfaces& surfaces, std::size_t vertex) {
  const std::int32_t body = surfaces.body_of_vertex[vertex];
  return body >= 0 && surfaces.touches_itself[at(body)] != 0;
}

// The box of all places that a point of a primitive can reach within the margin, and more for the
// rounding of the sums.
template <std::size_t count>
geometry::Bounds box_around(const std::array<std::int32_t, count>& corners,
                            std::span<const Vec3> places, double margin) {
  Vec3 lower = places[at(corners[0])], upper = lower;
  for (const std::int32_t corner : corners) {
    lower = lower.cwiseMin(places[at(corner)]);
    upper = upper.cwiseMax(places[at(corner)]);
  }
  const double size = lower.cwiseAbs().cwiseMax(upper.cwiseAbs()).maxCoeff();
  const double padded = margin + 1e-15 * (size + margin);
  return {lower.array() - padded, upper.array() + padded};
}

}  // namespace

void OwnPairs::find(const MotionBounds& bounds, const Surfaces& surfaces, double reach,
                    Candidates& candidates) {
  candidates.clear();
  reach_ = reach;
  if (std::ranges::find(surfaces.touches_itself, 1) == surfaces.touches_itself.end()) return;
  measure_ways(bounds, surfaces);
  if (!are_lists_valid(bounds, surfaces)) make_lists(bounds, surfaces);
  const geometry::MovingPoints at_rest{bounds.t0().vertices, bounds.t0().vertices};
  measure_times(at_rest, surfaces, ways_);
  const auto first_vertex = static_cast<std::int32_t>(bounds.t0().particles.size());
  for (std::size_t i = 0; i < points_.pairs.size(); ++i) {
    if (points_.times[i] == geometry::no_contact) continue;
    candidates.points.push_back({first_vertex + points_.pairs[i].first, points_.pairs[i].second});
  }
  for (std::size_t i = 0; i < edges_.pairs.size(); ++i) {
    if (edges_.times[i] == geometry::no_contact) continue;
    candidates.edges.push_back({edges_.pairs[i].first, edges_.pairs[i].second});
  }
}

void OwnPairs::measure_ways(const MotionBounds& bounds, const Surfaces& surfaces) {
  ways_.assign(surfaces.touches_itself.size(), 0);
  for (std::size_t v = 0; v < surfaces.body_of_vertex.size(); ++v) {
    if (!touches_itself(surfaces, v)) continue;
    double& way = ways_[at(surfaces.body_of_vertex[v])];
    way = std::max(way, bounds.largest_way(v, bounds.t0().vertices[v]));
  }
}

bool OwnPairs::are_lists_valid(const MotionBounds& bounds, const Surfaces& surfaces) const {
  if (places_.size() != surfaces.body_of_vertex.size()) return false;
  for (std::size_t v = 0; v < places_.size(); ++v) {
    if (touches_itself(surfaces, v) && !(bounds.largest_way(v, places_[v]) <= margin_))
      return false;
  }
  return true;
}

void OwnPairs::make_lists(const MotionBounds& bounds, const Surfaces& surfaces) {
  const std::span<const Vec3> x = bounds.t0().vertices;
  places_.assign(x.begin(), x.end());
  const double way = *std::ranges::max_element(ways_);
  double length = 0;
  for (const auto& [a, b] : surfaces.edges)
    length += (x[at(a)] - x[at(b)]).norm() / static_cast<double>(surfaces.edges.size());
  margin_ = std::clamp(length_part * length, way, substeps_of_pairs * way);

  boxes_.clear();
  for (const TriangleIndices& triangle : surfaces.triangles)
    boxes_.push_back(box_around(triangle, x, margin_ + reach_));
  grid_.build(boxes_);
  const auto for_each = [](const auto& find) {
    return [&find](std::int64_t first, std::int64_t last, std::vector<geometry::BoxPair>& found) {
      for (auto i = static_cast<std::int32_t>(first); i < last; ++i)
        find(i, found);
    };
  };
  const auto find_points = [&](std::int32_t vertex, std::vector<geometry::BoxPair>& found) {
    if (!touches_itself(surfaces, at(vertex))) return;
    const std::int32_t body = surfaces.body_of_vertex[at(vertex)];
    grid_.for_each_overlap(box_around(std::array{vertex}, x, margin_), [&](std::int32_t triangle) {
      const auto& [a, b, c] = surfaces.triangles[at(triangle)];
      if (surfaces.body_of_vertex[at(a)] != body) return;
      if (vertex != a && vertex != b && vertex != c) found.push_back({vertex, triangle});
    });
  };
  collector_.collect(static_cast<std::int64_t>(x.size()), own_pairs_grain, for_each(find_points),
                     points_.pairs);
  boxes_.clear();
  for (const EdgeIndices& edge : surfaces.edges)
    boxes_.push_back(box_around(edge, x, margin_));
  grid_.build(boxes_);
  const auto find_edges = [&](std::int32_t edge, std::vector<geometry::BoxPair>& found) {
    const auto& [a, b] = surfaces.edges[at(edge)];
    if (!touches_itself(surfaces, at(a))) return;
    const std::int32_t body = surfaces.body_of_vertex[at(a)];
    const geometry::Bounds near = box_around(surfaces.edges[at(edge)], x, margin_ + reach_);
    grid_.for_each_overlap(near, [&](std::int32_t other) {
      if (other <= edge) return;
      const auto& [c, d] = surfaces.edges[at(other)];
      if (surfaces.body_of_vertex[at(c)] != body) return;
      if (a != c && a != d && b != c && b != d) found.push_back({edge, other});
    });
  };
  collector_.collect(static_cast<std::int64_t>(surfaces.edges.size()), own_pairs_grain,
                     for_each(find_edges), edges_.pairs);
  measure_times({x, x}, surfaces, std::vector<double>(ways_.size(), margin_));
  points_.drop_far();
  edges_.drop_far();
}

// Sets the times of pairs to `no_contact` where they are farther apart than `reach` and twice the
// distance of their body.
void OwnPairs::measure_times(const geometry::MovingPoints& at_rest, const Surfaces& surfaces,
                             std::span<const double> distances) {
  points_.times.resize(points_.pairs.size());
  edges_.times.resize(edges_.pairs.size());
  const auto for_each_body = [&](List& list, const auto& body_of, const auto& measure) {
    const std::span pairs(list.pairs);
    const std::span times(list.times);
    for (std::size_t first = 0, last = 0; first < pairs.size(); first = last) {
      const std::int32_t body = body_of(pairs[first]);
      const auto is_of_body = [&](const geometry::BoxPair& p) { return body_of(p) <= body; };
      last = static_cast<std::size_t>(
          std::ranges::partition_point(pairs.subspan(first), is_of_body) - pairs.begin());
      measure(pairs.subspan(first, last - first), reach_ + 2 * distances[at(body)],
              times.subspan(first, last - first));
    }
  };
  const auto body_of = [&](std::int32_t vertex) { return surfaces.body_of_vertex[at(vertex)]; };
  for_each_body(
      points_, [&](const geometry::BoxPair& pair) { return body_of(pair.first); },
      [&](auto pairs, double distance, auto times) {
        geometry::first_contacts(at_rest, at_rest, surfaces.triangles, pairs, distance, times);
      });
  for_each_body(
      edges_,
      [&](const geometry::BoxPair& pair) { return body_of(surfaces.edges[at(pair.first)][0]); },
      [&](auto pairs, double distance, auto times) {
        geometry::first_contacts(at_rest, surfaces.edges, pairs, distance, times);
      });
}

void OwnPairs::List::drop_far() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (times[i] != geometry::no_contact) pairs[kept++] = pairs[i];
  }
  pairs.resize(kept);
}

}  // namespace sluice::contact
