// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/ccd.h"

#include <array>

#include "solver/geometry/coplanarity.h"
#include "solver/geometry/point_triangle.h"
#include "solver/geometry/separation.h"

namespace sluice::geometry {
namespace {

using ccd::advance;
using ccd::Cubic;
using ccd::MovingHull;
using ccd::whole_motion;

// Advances before the time reached is returned as a contact. Convergence is quadratic on simple
// contacts (about 5) and grazing passes need some 20; ccd_data_test has no more false positives
// with any larger number.
constexpr int max_advances = 64;

// Makes `direction` perpendicular to `edge` to rounding error: the difference of two nearby points
// is not, and a direction that leans along a long edge separates nothing.
Vec3 perpendicular(const Vec3& direction, const Vec3& edge) {
  const double length_squared = edge.squaredNorm();
  if (!(length_squared > 0)) return direction;
  return direction - direction.dot(edge) / length_squared * edge;
}

Vec3 towards(const Vec3& direction, const Vec3& point) {
  return direction.dot(point) < 0 ? Vec3(-direction) : direction;
}

// Directions worth trying, best first. Whether one separates is for `advance` to say.
template <std::size_t count>
using Directions = std::array<Vec3, count>;

Directions<4> directions_of(const std::array<Vec3, 3>& v) {
  const NearestPoint nearest = nearest_point({v[0], v[1], v[2]}, Vec3::Zero());
  const Vec3 &w = nearest.weights, &away = nearest.position;
  const Vec3 normal = towards((v[1] - v[0]).cross(v[2] - v[0]), away);
  Vec3 best = away;
  Vec3 edge = Vec3::Zero();
  if (w.minCoeff() > 0) {
    best = normal;
  } else if (w.maxCoeff() < 1) {
    edge = w[0] == 0 ? v[2] - v[1] : w[1] == 0 ? v[0] - v[2] : v[1] - v[0];
    best = perpendicular(away, edge);
  }
  // In the triangle's plane, for a point that passes beside it there.
  return {best, normal, away, towards(normal.cross(edge), away)};
}

Directions<4> directions_of(const std::array<Vec3, 4>& v) {
  // v = {a - c, a - d, b - c, b - d}: the corners of a parallelogram, in the order of two edges.
  const Vec3 ab = v[2] - v[0], dc = v[0] - v[1];
  const NearestPoint one = nearest_point({v[0], v[1], v[2]}, Vec3::Zero());
  const NearestPoint other = nearest_point({v[3], v[2], v[1]}, Vec3::Zero());
  const bool is_one = one.squared_distance <= other.squared_distance;
  const NearestPoint& nearest = is_one ? one : other;
  const Vec3& away = nearest.position;
  const Vec3 normal = towards(ab.cross(dc), away);
  // Weight 0 is of the corner between both edges, so without it the nearest point is on the
  // diagonal.
  const Vec3& w = nearest.weights;
  Vec3 best = away;
  Vec3 edge = Vec3::Zero();
  if (w[1] > 0 && w[2] > 0) {
    best = normal;
  } else if (w.maxCoeff() < 1) {
    edge = w[1] > 0 ? dc : ab;
    best = perpendicular(away, edge);
  }
  return {best, normal, away, towards(normal.cross(edge), away)};
}

template <std::size_t count>
std::optional<double> first_contact(const MovingHull<count>& hull, const Cubic& cubic) {
  double time = 0;
  for (int i = 0; i < max_advances; ++i) {
    double next = advance(cubic, time);
    if (next > 1) return std::nullopt;
    for (const Vec3& direction : directions_of(hull.at(next))) {
      const double reached = advance(hull, direction, next);
      if (reached > 1) return std::nullopt;
      if (reached > next) {
        next = reached;
        break;
      }
    }
    if (next == time) break;
    time = next;
  }
  return time;
}

}  // namespace

std::optional<double> first_contact(const PointTriangleMotion& m) noexcept {
  MovingHull<3> hull{{m.a_t0 - m.p_t0, m.b_t0 - m.p_t0, m.c_t0 - m.p_t0},
                     {m.a_t1 - m.p_t1, m.b_t1 - m.p_t1, m.c_t1 - m.p_t1},
                     {}};
  if (hull.is_separated_by_an_axis()) return std::nullopt;
  hull.measure();
  if (!(hull.extent.maxCoeff() < ccd::max_extent)) return 0;
  return first_contact(
      hull, ccd::coplanarity(hull.points_t0[0], hull.points_t0[1], hull.points_t0[2],
                             hull.points_t1[0], hull.points_t1[1], hull.points_t1[2], hull.extent));
}

std::optional<double> first_contact(const EdgeEdgeMotion& m) noexcept {
  MovingHull<4> hull{{m.a_t0 - m.c_t0, m.a_t0 - m.d_t0, m.b_t0 - m.c_t0, m.b_t0 - m.d_t0},
                     {m.a_t1 - m.c_t1, m.a_t1 - m.d_t1, m.b_t1 - m.c_t1, m.b_t1 - m.d_t1},
                     {}};
  if (hull.is_separated_by_an_axis()) return std::nullopt;
  hull.measure();
  if (!(hull.extent.maxCoeff() < ccd::max_extent)) return 0;
  const MovingHull<2> edges = [&] {
    MovingHull<2> result{
        {m.b_t0 - m.a_t0, m.d_t0 - m.c_t0}, {m.b_t1 - m.a_t1, m.d_t1 - m.c_t1}, {}};
    result.measure();
    return result;
  }();
  return first_contact(
      hull,
      ccd::coplanarity(hull.points_t0[0], edges.points_t0[0], edges.points_t0[1], hull.points_t1[0],
                       edges.points_t1[0], edges.points_t1[1], hull.extent.cwiseMax(edges.extent)));
}

}  // namespace sluice::geometry
