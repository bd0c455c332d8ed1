// SPDX-License-Identifier: Apache-2.0
#include "solver/simulation/free_places.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "solver/geometry/point_triangle.h"
#include "solver/scene/capabilities.h"

namespace sluice::simulation {

namespace {

geometry::Triangle corners(const solid::DeformableSystem& solids, std::size_t triangle) {
  const auto at = [&](std::size_t k) {
    return solids.positions[static_cast<std::size_t>(solids.triangles[triangle][k])];
  };
  return {at(0), at(1), at(2)};
}

bool overlap(const geometry::Bounds& bounds, const Vec3& lower, const Vec3& upper, double margin) {
  return (upper.array() >= bounds.lower.array() - margin).all() &&
         (lower.array() <= bounds.upper.array() + margin).all();
}

// The solid angle under which `x` sees a triangle, positive from behind it [VanOosterom1983].
double solid_angle(const geometry::Triangle& triangle, const Vec3& x) {
  const Vec3 a = triangle.a - x, b = triangle.b - x, c = triangle.c - x;
  const double na = a.norm(), nb = b.norm(), nc = c.norm();
  return 2 * std::atan2(a.dot(b.cross(c)),
                        na * nb * nc + a.dot(b) * nc + b.dot(c) * na + c.dot(a) * nb);
}

bool is_closed(const solid::BodyRange& body) { return body.tet_count > 0 || body.rigid_body >= 0; }

}  // namespace

FreePlaces::FreePlaces(const scene::Scene& scene)
    : contact_distance_(scene.coupling.contact_distance),
      ignores_solids_(scene::row_of(scene.coupling.method).lets_fluid_through) {
  for (const scene::Fluid& fluid : scene.fluids) {
    for (const scene::Emitter& emitter : fluid.emitters)
      emitters_.push_back(geometry::bounds(emitter.shape));
  }
}

void FreePlaces::set_solids(const solid::DeformableSystem& solids) {
  solids_ = &solids;
  near_.clear();
  near_bodies_.clear();
  if (ignores_solids_ || emitters_.empty()) return;
  for (std::size_t b = 0; b < solids.bodies.size(); ++b) {
    const solid::BodyRange& body = solids.bodies[b];
    const double gap = contact_distance_ + body.half_thickness;
    const auto first = static_cast<std::size_t>(body.first_triangle);
    Vec3 body_lower = Vec3::Constant(std::numeric_limits<double>::infinity());
    Vec3 body_upper = -body_lower;
    for (std::size_t t = first; t < first + static_cast<std::size_t>(body.triangle_count); ++t) {
      const auto [p, q, r] = corners(solids, t);
      const Vec3 lower = p.cwiseMin(q).cwiseMin(r), upper = p.cwiseMax(q).cwiseMax(r);
      body_lower = body_lower.cwiseMin(lower);
      body_upper = body_upper.cwiseMax(upper);
      if (std::ranges::any_of(emitters_, [&](const geometry::Bounds& bounds) {
            return overlap(bounds, lower, upper, gap);
          })) {
        near_.push_back({t, gap});
      }
    }
    if (is_closed(body) && std::ranges::any_of(emitters_, [&](const geometry::Bounds& bounds) {
          return overlap(bounds, body_lower, body_upper, 0);
        })) {
      near_bodies_.push_back(b);
    }
  }
}

bool FreePlaces::has(const Vec3& x) const {
  for (const NearTriangle& near : near_) {
    const double distance =
        geometry::nearest_point(corners(*solids_, near.index), x).squared_distance;
    if (distance < near.gap * near.gap) return false;
  }
  // No surface is near: the angles add up to 0 outside and a whole sphere inside, and need no grid
  // of triangles, as geometry::winding_number does, of bodies that have moved since the last time.
  return std::ranges::none_of(near_bodies_, [&](std::size_t b) {
    const solid::BodyRange& body = solids_->bodies[b];
    double angle = 0;
    const auto first = static_cast<std::size_t>(body.first_triangle);
    for (std::size_t t = first; t < first + static_cast<std::size_t>(body.triangle_count); ++t)
      angle += solid_angle(corners(*solids_, t), x);
    return std::abs(angle) > 2 * std::numbers::pi;
  });
}

}  // namespace sluice::simulation
