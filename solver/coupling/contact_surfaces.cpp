// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/contact_surfaces.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace sluice::coupling {
namespace {

// The gap that a body keeps from itself, as a part of its triangles' lowest height: at rest no
// triangle is that close to one that it shares no vertex with.
constexpr double own_part = 0.5;

// The gap that edges keep, as a part of the gap that points keep: faces that rest on each other do
// so by their vertices, and edges that cross above them are not in contact too.
constexpr double edge_part = 0.9;

/// [m] The lowest height of a triangle of a body.
double lowest_height(const solid::DeformableSystem& solids, const solid::BodyRange& body) {
  double lowest = std::numeric_limits<double>::infinity();
  for (std::int32_t t = body.first_triangle; t < body.first_triangle + body.triangle_count; ++t) {
    const TriangleIndices& triangle = solids.triangles[at(t)];
    const Vec3 &a = solids.positions[at(triangle[0])], &b = solids.positions[at(triangle[1])],
               &c = solids.positions[at(triangle[2])];
    const double longest = std::max({(b - a).norm(), (c - b).norm(), (a - c).norm()});
    lowest = std::min(lowest, (b - a).cross(c - a).norm() / longest);
  }
  return lowest;
}

}  // namespace

ContactSurfaces::ContactSurfaces(const scene::Scene& scene, const solid::DeformableSystem& solids)
    : triangles_(solids.triangles),
      edges_(solids.edges),
      contact_distance_(scene.coupling.contact_distance),
      body_of_vertex_(solids.positions.size(), -1),
      materials_(scene),
      is_between_solids_(solids.bodies.size() > 1) {
  double thickest = 0;
  for (const solid::BodyRange& body : solids.bodies) {
    half_thickness_.insert(half_thickness_.end(), at(body.vertex_count), body.half_thickness);
    own_gap_.push_back(own_part * lowest_height(solids, body));
    thickest = std::max(thickest, body.half_thickness);
    touches_itself_.push_back(static_cast<std::uint8_t>(body.rigid_body < 0));
    is_between_solids_ |= body.rigid_body < 0;
  }
  largest_gap_ = contact_distance_ + (is_between_solids_ ? 2 : 1) * thickest;
  for (const TriangleIndices& triangle : triangles_) {
    for (const std::int32_t corner : triangle)
      body_of_vertex_[at(corner)] = solids.body_of_vertex[at(corner)];
  }
}

contact::Surfaces ContactSurfaces::view() const noexcept {
  return {triangles_, edges_,
          is_between_solids_ ? std::span(body_of_vertex_) : std::span<const std::int32_t>{},
          touches_itself_};
}

double ContactSurfaces::gap(contact::PairKind kind, std::int32_t first, std::int32_t second) const {
  double gap = contact_distance_ + half_thickness_[at(second)];
  if (first < 0) return gap;
  gap += half_thickness_[at(first)];
  const std::int32_t body = body_of_vertex_[at(first)];
  if (body == body_of_vertex_[at(second)]) gap = std::min(gap, own_gap_[at(body)]);
  return kind == contact::PairKind::edge_edge ? edge_part * gap : gap;
}

ContactMaterial ContactSurfaces::material(std::int32_t first, std::int32_t second) const {
  if (first < 0) return materials_.at_fluid(body_of_vertex_[at(second)]);
  return materials_.between(body_of_vertex_[at(first)], body_of_vertex_[at(second)]);
}

}  // namespace sluice::coupling
