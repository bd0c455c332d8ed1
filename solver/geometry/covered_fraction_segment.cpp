// SPDX-License-Identifier: Apache-2.0
// Segments: every form is convex, so a line is in it between two parameters, which are those of
// slabs, balls and tubes [Ericson2005, 5.3].
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <variant>

#include "solver/geometry/covered_fraction.h"

namespace sluice::geometry {
namespace {

// Parameters of a line; none where last < first.
struct Interval {
  double first = -infinity, last = infinity;
};
constexpr Interval nothing{infinity, -infinity};

Interval common(const Interval& a, const Interval& b) {
  return {std::max(a.first, b.first), std::min(a.last, b.last)};
}

// The smallest that has both, of which either may be nothing.
Interval hull(const Interval& a, const Interval& b) {
  if (a.last < a.first) return b;
  if (b.last < b.first) return a;
  return {std::min(a.first, b.first), std::max(a.last, b.last)};
}

// Where value + k slope <= 0.
Interval not_above_zero(double value, double slope) {
  if (slope > 0) return {-infinity, -value / slope};
  if (slope < 0) return {-value / slope, infinity};
  return value <= 0 ? Interval{} : nothing;
}

// Where |value + k slope| <= most.
Interval slab(double value, double slope, double most) {
  return common(not_above_zero(value - most, slope), not_above_zero(-value - most, -slope));
}

// Where a k^2 + 2 b k + c <= 0, a >= 0; `discriminant` is b^2 - a c.
Interval between_roots(double a, double b, double c, double discriminant) {
  if (a == 0) return c <= 0 ? Interval{} : nothing;
  if (discriminant <= 0) return nothing;
  // The root of larger size first: the other would lose digits to a difference.
  const double larger = -(b + std::copysign(std::sqrt(discriminant), b));
  return {std::min(larger / a, c / larger), std::max(larger / a, c / larger)};
}

// The part of a line with |point + k direction| <= radius, of which only the first two coordinates
// count in a tube along z. The discriminants are by the distance to the line, without cancellation.
Interval tube(const Vec3& point, const Vec3& direction, double radius) {
  const auto p = point.head<2>(), d = direction.head<2>();
  const double moment = p.x() * d.y() - p.y() * d.x(), a = d.squaredNorm(), length = p.norm();
  return between_roots(a, p.dot(d), (length - radius) * (length + radius),
                       a * radius * radius - moment * moment);
}
Interval ball(const Vec3& point, const Vec3& direction, double radius) {
  const double a = direction.squaredNorm(), length = point.norm();
  return between_roots(a, point.dot(direction), (length - radius) * (length + radius),
                       a * radius * radius - point.cross(direction).squaredNorm());
}

// The part of the line point + k direction, in the shape's own frame, that is in a form.
struct CoveredInterval {
  Vec3 point, direction;

  Interval operator()(const Box& box) const {
    Interval result;
    for (int i = 0; i < 3; ++i)
      result = common(result, slab(point[i], direction[i], box.half_extents[i]));
    return result;
  }
  Interval operator()(const Sphere& sphere) const { return ball(point, direction, sphere.radius); }
  Interval operator()(const Capsule& capsule) const {
    const Vec3 to_end = capsule.half_length * Vec3::UnitZ();
    return hull(common(tube(point, direction, capsule.radius),
                       slab(point.z(), direction.z(), capsule.half_length)),
                hull(ball(point - to_end, direction, capsule.radius),
                     ball(point + to_end, direction, capsule.radius)));
  }
  Interval operator()(const Cylinder& cylinder) const {
    return common(tube(point, direction, cylinder.radius),
                  slab(point.z(), direction.z(), cylinder.half_length));
  }
  Interval operator()(const HalfSpace& /*form*/) const {
    return not_above_zero(point.z(), direction.z());
  }
};

}  // namespace

double covered_fraction(const Shape& shape, const AxisSegment& segment) {
  assert(segment.axis >= 0 && segment.axis < 3 && segment.length > 0);
  // From the middle, so that parameters are small where the segment is.
  const double half = segment.length / 2;
  const Vec3 middle = segment.start + half * Vec3::Unit(segment.axis);
  const CoveredInterval line{shape.rotation.transpose() * (middle - shape.translation),
                             shape.rotation.row(segment.axis).transpose()};
  const auto [first, last] = common(std::visit(line, shape.form), {-half, half});
  return std::clamp((last - first) / segment.length, 0.0, 1.0);
}

}  // namespace sluice::geometry
