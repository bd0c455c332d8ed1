// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/pair_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "solver/contact/edge_mollifier.h"

namespace sluice::coupling {
namespace {

using contact::ContactPair;
using contact::PairKind;

}  // namespace

PairSearch::PairSearch(const ContactSurfaces& surfaces, const solid::DeformableSystem& solids)
    : surfaces_(surfaces),
      is_held_(solids.is_held),
      body_of_point_(surfaces.body_of_vertex().begin(), surfaces.body_of_vertex().end()),
      touches_itself_(surfaces.touches_itself().begin(), surfaces.touches_itself().end()) {
  for (const auto& [a, b] : solids.edges)
    edge_lengths_.push_back((solids.positions[at(a)] - solids.positions[at(b)]).norm());
  touches_itself_.push_back(0);  // The fluid.
}

// Keeps a pair if anything of it can move, and it can get as near as its range.
void PairSearch::add(ContactPair pair, std::int32_t first, std::int32_t second,
                     std::span<const Vec3> x, double reach, std::vector<PairGroup>& groups) const {
  const bool is_held = std::ranges::all_of(
      pair.points, [&](std::int32_t i) { return at(i) < is_held_.size() && is_held_[at(i)] != 0; });
  if (is_held) return;
  const double range = surfaces_.gap(pair.kind, first, second);
  const double distance = std::sqrt(distance_of(pair.kind, pair.gather(x)).squared);
  const double nearer = 2 * std::numbers::sqrt3 * reach;  // Both sides, along the diagonal.
  if (distance - nearer > range * (1 + 1e-12)) return;
  pair.friction = surfaces_.material(first, second).friction;
  auto group = std::ranges::lower_bound(groups, range, {}, &PairGroup::range);
  if (group == groups.end() || group->range != range) group = groups.insert(group, {range, {}});
  group->pairs.push_back(pair);
}

void PairSearch::find(std::span<const Vec3> x, double reach, std::vector<PairGroup>& groups) {
  groups.clear();
  const auto vertex_count = static_cast<std::int32_t>(is_held_.size());
  const auto fluid = static_cast<std::int32_t>(touches_itself_.size()) - 1;
  body_of_point_.resize(is_held_.size());
  body_of_point_.resize(x.size(), fluid);
  const contact::Surfaces of = surfaces_.view();
  const contact::Surfaces surfaces{of.triangles, of.edges, body_of_point_, touches_itself_};
  bounds_.begin({{}, x}, {{}, x}, reach);
  finder_.forget();
  finder_.find(bounds_, surfaces, surfaces_.largest_gap(), candidates_);
  for (const auto& [point, triangle] : candidates_.points) {
    const auto& [a, b, c] = surfaces.triangles[at(triangle)];
    add({.kind = PairKind::point_triangle, .points = {point, a, b, c}},
        point < vertex_count ? point : -1, a, x, reach, groups);
  }
  for (const auto& [first, second] : candidates_.edges) {
    const auto& [a, b] = surfaces.edges[at(first)];
    const auto& [c, d] = surfaces.edges[at(second)];
    add({.kind = PairKind::edge_edge,
         .points = {a, b, c, d},
         .mollifier_range =
             contact::mollifier_range(edge_lengths_[at(first)], edge_lengths_[at(second)])},
        a, c, x, reach, groups);
  }
}

}  // namespace sluice::coupling
