// SPDX-License-Identifier: Apache-2.0
// Faces: each form is cut into pieces that are a convex polygon, or one within a round section
// (Oval): a box is six planes; a cylinder is a tube between two planes; a capsule is a tube between
// two planes and a ball beyond each of them. The planes cut the face's rectangle, and what remains
// is integrated against the section edge by edge.
#include "solver/geometry/covered_fraction.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <variant>

namespace sluice::geometry {
namespace {

using Vec2 = Eigen::Vector2d;

// A convex polygon, counterclockwise, in a face's own coordinates: [m] from its centre along axes
// (axis + 1) % 3 and (axis + 2) % 3.
struct Polygon {
  // A cut makes at most n + n / 2 corners out of n, even where rounding has made the polygon less
  // than convex; there are 6 cuts of a rectangle.
  std::array<Vec2, 42> corners;
  std::size_t count = 0;

  void add(const Vec2& corner) { corners[count++] = corner; }
};

// A linear function on a face's plane.
struct Linear {
  Vec2 gradient;
  double at_centre;

  double operator()(const Vec2& p) const { return gradient.dot(p) + at_centre; }
  Linear operator-(double value) const { return {gradient, at_centre - value}; }
  Linear operator-() const { return {-gradient, -at_centre}; }
};

// A face seen from a shape.
struct Section {
  const Shape& shape;
  int axis;
  Vec3 centre;  // [m] of the face, world frame
  Polygon rectangle;

  [[nodiscard]] Vec2 in_plane(const Vec3& v) const {
    return {v[(axis + 1) % 3], v[(axis + 2) % 3]};
  }
  // Coordinate i of the shape's own frame.
  [[nodiscard]] Linear local(int i) const {
    const Vec3 direction = shape.rotation.col(i);
    return {in_plane(direction), direction.dot(centre - shape.translation)};
  }
};

enum class Part { not_above_zero, above_zero };

// The part of `polygon` where `value` is so. [Sutherland1974]
Polygon cut(const Polygon& polygon, const Linear& value, Part part) {
  const auto is_kept = [part](double x) { return (x > 0) == (part == Part::above_zero); };
  Polygon result;
  for (std::size_t i = 0; i < polygon.count; ++i) {
    const Vec2 &a = polygon.corners[i], &b = polygon.corners[(i + 1) % polygon.count];
    const double at_a = value(a), at_b = value(b);
    if (is_kept(at_a)) result.add(a);
    if (is_kept(at_a) != is_kept(at_b)) result.add(a + at_a / (at_a - at_b) * (b - a));
  }
  return result;
}

double cross(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }

double area(const Polygon& polygon) {
  double twice = 0;
  for (std::size_t i = 2; i < polygon.count; ++i) {
    twice +=
        cross(polygon.corners[i - 1] - polygon.corners[0], polygon.corners[i] - polygon.corners[0]);
  }
  return twice / 2;
}

// The points of a plane with t^2 + (offset + slope s)^2 <= radius^2, where s is along `direction`
// from `origin` and t a quarter turn further: a disc where slope is 1, an ellipse, or, where it is
// 0, the strip between two lines. All of these by one formula, without a division by the slope.
struct Oval {
  Vec2 origin;       // [m] as of a Polygon
  Vec2 direction;    // Unit.
  double offset;     // [m]
  double slope = 1;  // In [-1, 1].
  double radius;     // [m], > 0
};

// The mean of sqrt(R^2 - x^2) for x from a to b, both in [-R, R]: that under the chord, and the
// circle's segment between chord and arc. No term is lost where a and b are close, or both near R.
double mean_half_width(double R, double a, double b) {
  const double at_a = std::sqrt((R - a) * (R + a)), at_b = std::sqrt((R - b) * (R + b));
  if (a == b) return at_a;
  const double angle = std::atan2(b, at_b) - std::atan2(a, at_a);
  return (at_a + at_b) / 2 + R * R * (angle - std::sin(angle)) / (2 * (b - a));
}

// An edge of a polygon before an oval: t, x = offset + slope s and s at parameter 0, and their
// changes to parameter 1.
struct Edge {
  double t, x, dt, dx, ds;
};

// Integral over s of the oval's border, on the side of the edge, for parameters from p to q, all of
// which are outside. The part beyond the oval's ends in s, where |x| > R, counts 0.
double border_integral(const Edge& edge, double R, double p, double q) {
  if (edge.dx != 0) {
    const double at_lower = (-R - edge.x) / edge.dx, at_upper = (R - edge.x) / edge.dx;
    p = std::max(p, std::min(at_lower, at_upper));
    q = std::min(q, std::max(at_lower, at_upper));
  }
  if (p >= q) return 0;
  const auto x_at = [&](double parameter) {  // At |x| = R the width is 0.
    return std::clamp(edge.x + parameter * edge.dx, -R, R);
  };
  const double width = mean_half_width(R, x_at(p), x_at(q));
  // Outside and between the ends the edge stays on one side.
  return std::copysign(width, edge.t + (p + q) / 2 * edge.dt) * edge.ds * (q - p);
}

// Integral over s of t along an edge, where t is clamped to the oval.
double clamped_integral(const Edge& edge, double R) {
  const double a = edge.dt * edge.dt + edge.dx * edge.dx;
  if (a == 0) {
    const double x = std::clamp(edge.x, -R, R), width = mean_half_width(R, x, x);
    return std::clamp(edge.t, -width, width) * edge.ds;
  }
  // Inside where (t + k dt)^2 + (x + k dx)^2 < R^2. An error in such a k matters little: t and the
  // border are the same there.
  const double b = edge.t * edge.dt + edge.x * edge.dx, c = edge.t * edge.dx - edge.x * edge.dt;
  const double root = std::sqrt(std::max(a * R * R - c * c, 0.0));
  const double enters = std::clamp((-b - root) / a, 0.0, 1.0);
  const double leaves = std::clamp((-b + root) / a, 0.0, 1.0);
  const double inside = (edge.t + (enters + leaves) / 2 * edge.dt) * edge.ds * (leaves - enters);
  return border_integral(edge, R, 0, enters) + inside + border_integral(edge, R, leaves, 1);
}

// Green's theorem: at each s, what is between the polygon's upper and lower edge and in the oval is
// the difference of both, clamped to the oval.
double area_within(const Oval& oval, const Polygon& polygon) {
  double sum = 0;
  const auto at = [&](std::size_t i) -> Vec2 {
    const Vec2 p = polygon.corners[i % polygon.count] - oval.origin;
    return {oval.direction.dot(p), cross(oval.direction, p)};
  };
  for (std::size_t i = 0; i < polygon.count; ++i) {
    const Vec2 from = at(i), to = at(i + 1);
    const double x = oval.offset + oval.slope * from.x();
    const double x_end = oval.offset + oval.slope * to.x();
    sum -= clamped_integral({from.y(), x, to.y() - from.y(), x_end - x, to.x() - from.x()},
                            oval.radius);
  }
  return sum;
}

double area_in_ball(const Section& section, const Vec3& centre, double radius,
                    const Polygon& polygon) {
  const Vec3 offset = centre - section.centre;
  const double height = std::abs(offset[section.axis]);
  if (height >= radius) return 0;
  const double in_plane_radius = std::sqrt((radius - height) * (radius + height));
  return area_within({section.in_plane(offset), Vec2::UnitX(), 0, 1, in_plane_radius}, polygon);
}

// A tube along the shape's z axis. At s along the axis's projection to the plane and height h of
// the plane over the shape's centre, the distance to the axis is t and |s sin - h cos|, with the
// angle between axis and plane.
double area_in_tube(const Section& section, double radius, const Polygon& polygon) {
  const Vec3 axis = section.shape.rotation.col(2);
  const Vec3 offset = section.shape.translation - section.centre;
  const Vec2 projected = section.in_plane(axis);
  const double cosine = projected.norm();
  const Vec2 direction = cosine > 0 ? Vec2(projected / cosine) : Vec2::UnitX();
  return area_within({section.in_plane(offset), direction, offset[section.axis] * cosine,
                      axis[section.axis], radius},
                     polygon);
}

// The part of the face's rectangle where the shape's z is in [-half_length, half_length].
Polygon between_ends(const Section& section, double half_length) {
  const Linear z = section.local(2);
  return cut(cut(section.rectangle, z - half_length, Part::not_above_zero), -z - half_length,
             Part::not_above_zero);
}

// [m^2] of a section's rectangle in a form.
struct CoveredArea {
  const Section& section;

  double operator()(const Box& box) const {
    Polygon polygon = section.rectangle;
    for (int i = 0; i < 3; ++i) {
      const Linear x = section.local(i);
      polygon = cut(polygon, x - box.half_extents[i], Part::not_above_zero);
      polygon = cut(polygon, -x - box.half_extents[i], Part::not_above_zero);
    }
    return area(polygon);
  }
  double operator()(const Sphere& sphere) const {
    return area_in_ball(section, section.shape.translation, sphere.radius, section.rectangle);
  }
  double operator()(const Capsule& capsule) const {
    const Linear z = section.local(2);
    const Vec3 to_end = capsule.half_length * section.shape.rotation.col(2);
    const auto beyond_end = [&](const Linear& above, const Vec3& centre) {
      return area_in_ball(section, centre, capsule.radius,
                          cut(section.rectangle, above, Part::above_zero));
    };
    return area_in_tube(section, capsule.radius, between_ends(section, capsule.half_length)) +
           beyond_end(z - capsule.half_length, section.shape.translation + to_end) +
           beyond_end(-z - capsule.half_length, section.shape.translation - to_end);
  }
  double operator()(const Cylinder& cylinder) const {
    return area_in_tube(section, cylinder.radius, between_ends(section, cylinder.half_length));
  }
  double operator()(const HalfSpace& /*form*/) const {
    return area(cut(section.rectangle, section.local(2), Part::not_above_zero));
  }
};

}  // namespace

double covered_fraction(const Shape& shape, const AxisFace& face) {
  assert(face.axis >= 0 && face.axis < 3 && face.edges[0] > 0 && face.edges[1] > 0);
  const double half_u = face.edges[0] / 2, half_v = face.edges[1] / 2;
  Vec3 centre = face.lower;
  centre[(face.axis + 1) % 3] += half_u;
  centre[(face.axis + 2) % 3] += half_v;
  const double distance = signed_distance(shape, centre).distance;
  if (std::abs(distance) > std::hypot(half_u, half_v)) return distance < 0 ? 1 : 0;

  Section section{shape, face.axis, centre, {}};
  section.rectangle.add({-half_u, -half_v});
  section.rectangle.add({half_u, -half_v});
  section.rectangle.add({half_u, half_v});
  section.rectangle.add({-half_u, half_v});
  const double covered = std::visit(CoveredArea{section}, shape.form);
  return std::clamp(covered / (face.edges[0] * face.edges[1]), 0.0, 1.0);
}

}  // namespace sluice::geometry
