// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/triangle_intersection.h"

#include <array>

#include "solver/geometry/predicates.h"

namespace sluice::geometry {
namespace {

using Vec2 = Eigen::Vector2d;

Vec2 without_axis(const Vec3& p, int axis) { return {p[(axis + 1) % 3], p[(axis + 2) % 3]}; }

// An axis along which the triangle can be flattened and keep its area; 3 if it has none.
int flattening_axis(const Triangle& t) {
  for (int axis = 0; axis < 3; ++axis) {
    if (orientation(without_axis(t.a, axis), without_axis(t.b, axis), without_axis(t.c, axis)) !=
        0) {
      return axis;
    }
  }
  return 3;
}

bool in_box(const Vec2& p, const Vec2& q, const Vec2& x) {
  return (x.array() >= p.cwiseMin(q).array()).all() && (x.array() <= p.cwiseMax(q).array()).all();
}

bool segments_meet(const Vec2& p, const Vec2& q, const Vec2& r, const Vec2& s) {
  const int pqr = orientation(p, q, r), pqs = orientation(p, q, s);
  const int rsp = orientation(r, s, p), rsq = orientation(r, s, q);
  if (pqr * pqs < 0 && rsp * rsq < 0) return true;
  return (pqr == 0 && in_box(p, q, r)) || (pqs == 0 && in_box(p, q, s)) ||
         (rsp == 0 && in_box(r, s, p)) || (rsq == 0 && in_box(r, s, q));
}

bool contains(const std::array<Vec2, 3>& t, const Vec2& p) {
  const int ab = orientation(t[0], t[1], p), bc = orientation(t[1], t[2], p),
            ca = orientation(t[2], t[0], p);
  return (ab >= 0 && bc >= 0 && ca >= 0) || (ab <= 0 && bc <= 0 && ca <= 0);
}

std::array<Vec2, 3> flattened(const Triangle& t, int axis) {
  return {without_axis(t.a, axis), without_axis(t.b, axis), without_axis(t.c, axis)};
}

bool coplanar_segment_meets(const Vec3& p, const Vec3& q, const Triangle& triangle) {
  const int axis = flattening_axis(triangle);
  if (axis == 3) return false;
  const auto t = flattened(triangle, axis);
  const Vec2 from = without_axis(p, axis), to = without_axis(q, axis);
  return contains(t, from) || segments_meet(from, to, t[0], t[1]) ||
         segments_meet(from, to, t[1], t[2]) || segments_meet(from, to, t[2], t[0]);
}

}  // namespace

bool is_without_area(const Triangle& triangle) { return flattening_axis(triangle) == 3; }

bool segment_meets_triangle(const Vec3& p, const Vec3& q, const Triangle& t) {
  const int side_p = orientation(t.a, t.b, t.c, p), side_q = orientation(t.a, t.b, t.c, q);
  if (side_p * side_q > 0) return false;
  if (side_p == 0 && side_q == 0) return coplanar_segment_meets(p, q, t);
  const int ab = orientation(p, q, t.a, t.b), bc = orientation(p, q, t.b, t.c),
            ca = orientation(p, q, t.c, t.a);
  return (ab >= 0 && bc >= 0 && ca >= 0) || (ab <= 0 && bc <= 0 && ca <= 0);
}

bool triangles_intersect(const Triangle& one, const Triangle& other) {
  // Most pairs are on one side of a plane.
  const auto is_beside = [](const Triangle& plane, const Triangle& t) {
    const int a = orientation(plane.a, plane.b, plane.c, t.a),
              b = orientation(plane.a, plane.b, plane.c, t.b),
              c = orientation(plane.a, plane.b, plane.c, t.c);
    return (a > 0 && b > 0 && c > 0) || (a < 0 && b < 0 && c < 0);
  };
  if (is_beside(one, other) || is_beside(other, one)) return false;
  // The intersection of two convex sets in space ends on an edge of one of them; of two in a plane,
  // on edges or it is a whole triangle, whose edges then lie in the other.
  return segment_meets_triangle(one.a, one.b, other) ||
         segment_meets_triangle(one.b, one.c, other) ||
         segment_meets_triangle(one.c, one.a, other) ||
         segment_meets_triangle(other.a, other.b, one) ||
         segment_meets_triangle(other.b, other.c, one) ||
         segment_meets_triangle(other.c, other.a, one);
}

bool triangles_intersect_beyond_corner(const Triangle& one, const Triangle& other) {
  // A ray from the common corner through another common point leaves one of the triangles first,
  // over the edge opposite the corner.
  return segment_meets_triangle(one.b, one.c, other) ||
         segment_meets_triangle(other.b, other.c, one);
}

bool triangles_intersect_beyond_edge(const Triangle& one, const Triangle& other) {
  if (orientation(one.a, one.b, one.c, other.c) != 0) return false;
  const int axis = flattening_axis(one);
  if (axis == 3) return false;
  const Vec2 a = without_axis(one.a, axis), b = without_axis(one.b, axis);
  return orientation(a, b, without_axis(one.c, axis)) ==
         orientation(a, b, without_axis(other.c, axis));
}

}  // namespace sluice::geometry
