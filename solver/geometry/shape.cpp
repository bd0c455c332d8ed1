// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/shape.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <type_traits>

namespace sluice::geometry {
namespace {

// +1 also at 0 (and -0), so that a point on an axis still has a unit normal.
double side(double value) { return value < 0 ? -1.0 : 1.0; }

// All of these take the point in the shape's own frame.
SignedDistance distance_to(const Box& box, const Vec3& p) {
  const Vec3 excess = p.cwiseAbs() - box.half_extents;
  const Vec3 outside = excess.cwiseMax(0);
  const double distance = outside.norm();
  const Vec3 sides{side(p.x()), side(p.y()), side(p.z())};
  if (distance > 0) return {distance, outside.cwiseProduct(sides) / distance};
  // Inside (or on the surface) the nearest face wins. [Quilez2008]
  Eigen::Index axis = 0;
  const double depth = excess.maxCoeff(&axis);
  return {depth, Vec3::Unit(axis) * sides[axis]};
}

SignedDistance distance_to(const Sphere& sphere, const Vec3& p) {
  const double length = p.norm();
  return {length - sphere.radius, length > 0 ? Vec3(p / length) : Vec3::UnitZ()};
}

SignedDistance distance_to(const Capsule& capsule, const Vec3& p) {
  const double z = std::clamp(p.z(), -capsule.half_length, capsule.half_length);
  const Vec3 offset = p - Vec3{0, 0, z};
  const double length = offset.norm();
  return {length - capsule.radius, length > 0 ? Vec3(offset / length) : Vec3::UnitX()};
}

SignedDistance distance_to(const Cylinder& cylinder, const Vec3& p) {
  // A rectangle in the half-plane of (distance to the axis, height).
  const double axis_distance = std::hypot(p.x(), p.y());
  const Vec3 radial =
      axis_distance > 0 ? Vec3{p.x() / axis_distance, p.y() / axis_distance, 0} : Vec3::UnitX();
  const Vec3 axial{0, 0, side(p.z())};
  const double across = axis_distance - cylinder.radius;
  const double along = std::abs(p.z()) - cylinder.half_length;
  if (across > 0 && along > 0) {
    const double distance = std::hypot(across, along);
    return {distance, (across * radial + along * axial) / distance};
  }
  return across > along ? SignedDistance{across, radial} : SignedDistance{along, axial};
}

SignedDistance distance_to(const HalfSpace& /*form*/, const Vec3& p) {
  return {p.z(), Vec3::UnitZ()};
}

// Half-size of the form's own bounding box, in its own frame.
Vec3 half_extents(const Box& box) { return box.half_extents; }
Vec3 half_extents(const Sphere& sphere) { return Vec3::Constant(sphere.radius); }
Vec3 half_extents(const Capsule& capsule) {
  return {capsule.radius, capsule.radius, capsule.radius + capsule.half_length};
}
Vec3 half_extents(const Cylinder& cylinder) {
  return {cylinder.radius, cylinder.radius, cylinder.half_length};
}

// std::visit, but without the exception that a variant of plain structs never has reason for.
template <typename Visit>
auto visit_form(const Shape& shape, const Visit& visit) {
  if (const auto* box = std::get_if<Box>(&shape.form)) return visit(*box);
  if (const auto* sphere = std::get_if<Sphere>(&shape.form)) return visit(*sphere);
  if (const auto* capsule = std::get_if<Capsule>(&shape.form)) return visit(*capsule);
  if (const auto* cylinder = std::get_if<Cylinder>(&shape.form)) return visit(*cylinder);
  return visit(HalfSpace{});
}

}  // namespace

SignedDistance signed_distance(const Shape& shape, const Vec3& point) noexcept {
  assert(point.allFinite());
  const Vec3 local = shape.rotation.transpose() * (point - shape.translation);
  const SignedDistance found =
      visit_form(shape, [&local](const auto& form) { return distance_to(form, local); });
  return {found.distance, shape.rotation * found.normal};
}

Bounds bounds(const Shape& shape) noexcept {
  if (const auto* sphere = std::get_if<Sphere>(&shape.form)) {  // Rotation does not matter.
    const Vec3 extents = Vec3::Constant(sphere->radius);
    return {shape.translation - extents, shape.translation + extents};
  }
  return visit_form(shape, [&shape](const auto& form) -> Bounds {
    if constexpr (std::is_same_v<std::decay_t<decltype(form)>, HalfSpace>) {
      return {Vec3::Constant(-infinity), Vec3::Constant(infinity)};
    } else {
      const Vec3 extents = shape.rotation.cwiseAbs() * half_extents(form);
      return {shape.translation - extents, shape.translation + extents};
    }
  });
}

double smallest_half_extent(const Shape& shape) noexcept {
  return visit_form(shape, [](const auto& form) {
    if constexpr (std::is_same_v<std::decay_t<decltype(form)>, HalfSpace>) {
      return infinity;
    } else {
      return half_extents(form).minCoeff();
    }
  });
}

}  // namespace sluice::geometry
