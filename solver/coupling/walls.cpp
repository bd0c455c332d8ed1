// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/walls.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <limits>

#include "solver/geometry/deepest_point.h"
#include "solver/geometry/shape.h"

namespace sluice::coupling {

namespace {

// More than any shape has support points.
constexpr std::size_t features_of_obstacle = 32;

// Parts of a barrier's range: where a point starts nearer to the floor than the first, the floor is
// put below it by the second, so that there is an energy.
constexpr double too_near = 1e-3, room_below = 0.1;

bool is_outside(const geometry::Bounds& bounds, const Vec3& x, double gap) {
  return (x.array() < bounds.lower.array() - gap).any() ||
         (x.array() > bounds.upper.array() + gap).any();
}

/// Takes back the part of the move from x_n that slides along the surface, up to `most` [m].
Vec3 take_back_slide(const Vec3& x_n, const Vec3& x, const Vec3& normal, double most) {
  const Vec3 move = x - x_n;
  const Vec3 slide = move - move.dot(normal) * normal;
  const double length = slide.norm();
  if (length == 0) return x;
  return x - std::min(1.0, most / length) * slide;
}

}  // namespace

Walls::Walls(const scene::Scene& scene)
    : materials_(scene),
      obstacles_(scene.obstacles),
      lower_(scene.domain_lower),
      upper_(scene.domain_upper) {
  if (scene.grid.dimensions == 2) {  // Nothing goes there.
    lower_.y() = -std::numeric_limits<double>::infinity();
    upper_.y() = std::numeric_limits<double>::infinity();
  }
  for (const scene::Obstacle& obstacle : obstacles_) {
    bounds_.push_back(geometry::bounds(obstacle.shape));
    supports_.push_back(geometry::support_points(obstacle.shape));
    for (Vec3& point : supports_.back())
      point -= obstacle.shape.translation;
  }
  steps_.assign(obstacles_.size(), Vec3::Zero());
}

void Walls::move(std::span<const scene::Obstacle> obstacles, double h) {
  assert(obstacles.size() == obstacles_.size());
  h_ = h;
  for (std::size_t k = 0; k < obstacles_.size(); ++k) {
    obstacles_[k].shape.translation = obstacles[k].shape.translation;
    bounds_[k] = geometry::bounds(obstacles_[k].shape);
    steps_[k] = h * obstacles[k].velocity;
  }
}

double Walls::largest_step() const noexcept {
  double largest = 0;
  for (const Vec3& step : steps_)
    largest = std::max(largest, step.norm());
  return largest;
}

Walls::Hold Walls::hold_at(std::size_t obstacle, const WallPoint& point, const Vec3& normal) const {
  const Vec3 start_place = point.x_n + steps_[obstacle];
  const double start =
      std::max(geometry::signed_distance(obstacles_[obstacle].shape, start_place).distance, 0.0);
  const ContactMaterial material = materials_.at_obstacle(point.body, obstacle);
  const double wanted = std::min(point.gap, start + point.recovery);
  const double back = material.restitution * (steps_[obstacle] - h_ * point.v_n).dot(normal);
  const double bounced = back > 0 ? std::max(wanted, start + back) : wanted;
  return {start_place, wanted, bounced, material.friction};
}

double Walls::side_at(int axis, bool is_upper, const WallPoint& point) const {
  const double x_n = point.x_n[axis];
  return is_upper
             ? std::max(upper_[axis] - point.gap, std::min(x_n, upper_[axis]) - point.recovery)
             : std::min(lower_[axis] + point.gap, std::max(x_n, lower_[axis]) + point.recovery);
}

double Walls::bounce_at(int axis, bool is_upper, const WallPoint& point) const {
  const double held = side_at(axis, is_upper, point);
  const double back = -materials_.at_domain(point.body).restitution * h_ * point.v_n[axis];
  if (is_upper) return back < 0 ? std::min(held, point.x_n[axis] + back) : held;
  return back > 0 ? std::max(held, point.x_n[axis] + back) : held;
}

Vec3 Walls::resolve(const WallPoint& point, const Vec3& x) const {
  if (!x.allFinite()) return x;
  Vec3 moved = x;
  for (std::size_t k = 0; k < obstacles_.size(); ++k) {
    if (is_outside(bounds_[k], moved, point.gap)) continue;
    const geometry::Shape& shape = obstacles_[k].shape;
    const geometry::SignedDistance at = geometry::signed_distance(shape, moved);
    if (at.distance >= point.gap) continue;
    const Hold hold = hold_at(k, point, at.normal);
    if (at.distance >= hold.wanted) continue;
    const double depth = hold.bounced - at.distance;
    moved =
        take_back_slide(hold.start, moved + depth * at.normal, at.normal, hold.friction * depth);
    // On a curved surface the slide has changed the gap.
    const geometry::SignedDistance after = geometry::signed_distance(shape, moved);
    if (after.distance < hold.bounced) moved += (hold.bounced - after.distance) * after.normal;
  }
  for (int axis = 0; axis < 3; ++axis) {
    const double low = side_at(axis, false, point), high = side_at(axis, true, point);
    const double held = std::max(low, std::min(moved[axis], high));
    if (held == moved[axis]) continue;
    const double bounced = bounce_at(axis, held < moved[axis], point);
    const double depth = std::abs(bounced - moved[axis]);
    moved[axis] = bounced;
    // Towards x_n, so that no side that came before is left.
    moved = take_back_slide(point.x_n, moved, Vec3::Unit(axis),
                            materials_.at_domain(point.body).friction * depth);
  }
  return moved;
}

void Walls::add_planes(const WallPoint& point, const Vec3& x, double reach,
                       std::vector<WallPlane>& planes) const {
  if (!x.allFinite()) return;
  for (std::size_t k = 0; k < obstacles_.size(); ++k) {
    if (is_outside(bounds_[k], x, point.gap + reach)) continue;
    const geometry::SignedDistance at = geometry::signed_distance(obstacles_[k].shape, x);
    const Hold hold = hold_at(k, point, at.normal);
    if (at.distance >= hold.bounced + reach) continue;
    const double surface = at.normal.dot(x) - at.distance;
    planes.push_back({static_cast<std::int32_t>(k), at.normal, surface + hold.wanted,
                      surface + hold.bounced, hold.start, hold.friction});
  }
  for (int axis = 0; axis < 3; ++axis) {
    for (const bool is_upper : {false, true}) {
      const double sign = is_upper ? -1 : 1;
      const double wanted = sign * side_at(axis, is_upper, point);
      const double bounced = sign * bounce_at(axis, is_upper, point);
      if (!std::isfinite(wanted) || sign * x[axis] >= bounced + reach) continue;
      const auto feature =
          static_cast<std::int32_t>(obstacles_.size()) + 2 * axis + (is_upper ? 1 : 0);
      planes.push_back({feature, sign * Vec3::Unit(axis), wanted, bounced, point.x_n,
                        materials_.at_domain(point.body).friction});
    }
  }
}

void Walls::add_touches(std::int32_t point, const Vec3& x_n, const Vec3& x, double part,
                        const WallMargin& margin, double reach,
                        std::vector<WallTouch>& touches) const {
  const double far = margin.range + reach;
  const auto add = [&](WallTouch touch, double start) {
    touch.floor = margin.floor;
    touch.range = margin.range;
    if (start - touch.floor < too_near * margin.range) {
      touch.floor = start - room_below * margin.range;
    }
    if (touch.gap_at(x).distance < far) touches.push_back(touch);
  };
  for (std::size_t k = 0; k < obstacles_.size(); ++k) {
    const Vec3 shift = (1 - part) * steps_[k];
    if (is_outside(bounds_[k], x + shift, far)) continue;
    const geometry::Shape& shape = obstacles_[k].shape;
    add({.point = point,
         .shape = &shape,
         .shift = shift,
         .step = steps_[k],
         .friction = margin.body < 0 ? 0 : materials_.at_obstacle(margin.body, k).friction},
        geometry::signed_distance(shape, x_n + steps_[k]).distance);
  }
  for (Eigen::Index axis = 0; axis < 3; ++axis) {
    for (const double side : {1.0, -1.0}) {
      const double offset = side > 0 ? margin.lower[axis] : -margin.upper[axis];
      if (side * x[axis] - offset > far) continue;
      add({.point = point,
           .normal = side * Vec3::Unit(axis),
           .offset = offset,
           .friction = margin.body < 0 ? 0 : materials_.at_domain(margin.body).friction},
          side * x_n[axis] - offset);
    }
  }
}

bool Walls::is_near(const Vec3& x, double distance) const {
  if ((x.array() < lower_.array() + distance).any() ||
      (x.array() > upper_.array() - distance).any()) {
    return true;
  }
  for (std::size_t k = 0; k < obstacles_.size(); ++k) {
    if (is_outside(bounds_[k], x, distance)) continue;
    if (geometry::signed_distance(obstacles_[k].shape, x).distance < distance) return true;
  }
  return false;
}

double Walls::depth(const Vec3& x) const {
  double deepest = std::max({0.0, (lower_ - x).maxCoeff(), (x - upper_).maxCoeff()});
  for (std::size_t k = 0; k < obstacles_.size(); ++k) {
    if (is_outside(bounds_[k], x, 0)) continue;
    deepest = std::max(deepest, -geometry::signed_distance(obstacles_[k].shape, x).distance);
  }
  return deepest;
}

void Walls::add_face_points(const geometry::Triangle& triangle, double distance,
                            std::vector<FacePoint>& points) const {
  const auto& [a, b, c] = triangle;
  const Vec3 middle = (a + b + c) / 3;
  const double radius = std::sqrt(std::max(
      {(a - middle).squaredNorm(), (b - middle).squaredNorm(), (c - middle).squaredNorm()}));
  const auto is_corner = [](const Vec3& weights) { return weights.maxCoeff() == 1; };
  for (std::size_t k = 0; k < obstacles_.size(); ++k) {
    const geometry::Shape& shape = obstacles_[k].shape;
    if (std::holds_alternative<geometry::HalfSpace>(shape.form)) continue;  // Corners are deepest.
    if (is_outside(bounds_[k], middle, radius + distance)) continue;
    if (geometry::signed_distance(shape, middle).distance > radius + distance) continue;
    const auto first_feature = static_cast<std::int32_t>(features_of_obstacle * k);
    const geometry::DeepestPoint deepest = geometry::deepest_point(shape, triangle);
    if (deepest.distance >= distance) continue;
    if (!is_corner(deepest.weights)) points.push_back({first_feature, deepest.weights});
    for (std::size_t i = 0; i < supports_[k].size(); ++i) {
      const geometry::NearestPoint nearest =
          geometry::nearest_point(triangle, supports_[k][i] + shape.translation);
      if (is_corner(nearest.weights) ||
          geometry::signed_distance(shape, nearest.position).distance >= distance) {
        continue;
      }
      points.push_back({first_feature + 1 + static_cast<std::int32_t>(i), nearest.weights});
    }
  }
}

Vec3 Walls::resolve_particle(const Vec3& x, const Vec3& lower, const Vec3& upper) const {
  if (!x.allFinite()) return x;
  Vec3 moved = x;
  for (std::size_t k = 0; k < obstacles_.size(); ++k) {
    if (is_outside(bounds_[k], moved, 0)) continue;
    const geometry::SignedDistance at = geometry::signed_distance(obstacles_[k].shape, moved);
    if (at.distance < 0) moved -= at.distance * at.normal;
  }
  return moved.cwiseMax(lower).cwiseMin(upper);
}

Vec3 Walls::resolve_particle(const Vec3& x_n, const Vec3& x, const Vec3& lower,
                             const Vec3& upper) const {
  const Vec3 outside = resolve_particle(x, lower, upper);
  return outside.allFinite() ? end_of_way(x_n, outside) : outside;
}

}  // namespace sluice::coupling
