// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/shape_chord.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace sluice::geometry {
namespace {

constexpr Chord endless{-infinity, infinity};

// A line in the shape's own frame: at + t along.
struct Line {
  Vec3 at, along;
};

std::optional<Chord> common(const std::optional<Chord>& a, const std::optional<Chord>& b) {
  if (!a || !b) return std::nullopt;
  const Chord both{std::max(a->first, b->first), std::min(a->last, b->last)};
  if (!(both.first <= both.last)) return std::nullopt;
  return both;
}

// Around two parts of a convex shape.
std::optional<Chord> joined(const std::optional<Chord>& a, const std::optional<Chord>& b) {
  if (!a) return b;
  if (!b) return a;
  return Chord{std::min(a->first, b->first), std::max(a->last, b->last)};
}

// Where |x| <= half along one axis.
std::optional<Chord> between(double half, double at, double along) {
  if (along == 0) return std::abs(at) <= half ? std::optional(endless) : std::nullopt;
  const double a = (-half - at) / along, b = (half - at) / along;
  return Chord{std::min(a, b), std::max(a, b)};
}

// Where a t^2 + 2 b t + c <= 0, with a >= 0.
std::optional<Chord> within_roots(double a, double b, double c) {
  if (a == 0) return c <= 0 ? std::optional(endless) : std::nullopt;
  const double discriminant = b * b - a * c;
  if (!(discriminant >= 0)) return std::nullopt;
  // The root with no difference of numbers that are alike first, the other by their product.
  const double q = -(b + std::copysign(std::sqrt(discriminant), b));
  if (q == 0) return Chord{0, 0};
  const double one = q / a, other = c / q;
  return Chord{std::min(one, other), std::max(one, other)};
}

std::optional<Chord> in_ball(double radius, const Line& line) {
  return within_roots(line.along.squaredNorm(), line.at.dot(line.along),
                      line.at.squaredNorm() - radius * radius);
}

std::optional<Chord> chord_of(const Box& box, const Line& line) {
  std::optional<Chord> inside = endless;
  for (int axis = 0; axis < 3; ++axis)
    inside = common(inside, between(box.half_extents[axis], line.at[axis], line.along[axis]));
  return inside;
}

std::optional<Chord> chord_of(const Sphere& sphere, const Line& line) {
  return in_ball(sphere.radius, line);
}

std::optional<Chord> chord_of(const Cylinder& cylinder, const Line& line) {
  const auto at = line.at.head<2>(), along = line.along.head<2>();
  const double radius = cylinder.radius;
  return common(
      between(cylinder.half_length, line.at.z(), line.along.z()),
      within_roots(along.squaredNorm(), at.dot(along), at.squaredNorm() - radius * radius));
}

std::optional<Chord> chord_of(const Capsule& capsule, const Line& line) {
  const Vec3 end(0, 0, capsule.half_length);
  const auto tube = chord_of(Cylinder{capsule.radius, capsule.half_length}, line);
  const auto below = in_ball(capsule.radius, {line.at + end, line.along});
  const auto above = in_ball(capsule.radius, {line.at - end, line.along});
  return joined(tube, joined(below, above));
}

std::optional<Chord> chord_of(const HalfSpace& /*form*/, const Line& line) {
  const double at = line.at.z(), along = line.along.z();
  if (along == 0) return at <= 0 ? std::optional(endless) : std::nullopt;
  const double surface = -at / along;
  return along > 0 ? Chord{-infinity, surface} : Chord{surface, infinity};
}

}  // namespace

std::optional<Chord> chord_in(const Shape& shape, const Vec3& from, const Vec3& to) noexcept {
  assert(from.allFinite() && to.allFinite());
  const Line line{shape.rotation.transpose() * (from - shape.translation),
                  shape.rotation.transpose() * (to - from)};
  if (const auto* box = std::get_if<Box>(&shape.form)) return chord_of(*box, line);
  if (const auto* sphere = std::get_if<Sphere>(&shape.form)) return chord_of(*sphere, line);
  if (const auto* capsule = std::get_if<Capsule>(&shape.form)) return chord_of(*capsule, line);
  if (const auto* cylinder = std::get_if<Cylinder>(&shape.form)) return chord_of(*cylinder, line);
  return chord_of(HalfSpace{}, line);
}

}  // namespace sluice::geometry
