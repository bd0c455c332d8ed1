// SPDX-License-Identifier: Apache-2.0
#include "solver/contact/projection.h"

#include <cmath>

#include "solver/geometry/point_triangle.h"

namespace sluice::contact {
namespace {

// Where on the way to a contact its side is read: late enough to be that of the contact, early
// enough for the gap not to be rounding noise.
constexpr double before_contact = 0.9;

}  // namespace

PairGap measure_gap(const Vec3& particle, const Vec3& a, const Vec3& b, const Vec3& c) noexcept {
  const geometry::NearestPoint nearest = geometry::nearest_point({a, b, c}, particle);
  const double distance = std::sqrt(nearest.squared_distance);
  if (distance == 0) return {Vec3::Zero(), nearest.weights, 0};
  return {(particle - nearest.position) / distance, nearest.weights, distance};
}

PairGap measure_gap(const geometry::PointTriangleMotion& m) noexcept {
  PairGap at_end = measure_gap(m.p_t1, m.a_t1, m.b_t1, m.c_t1);
  const auto time = geometry::first_contact(m);
  if (!time) return at_end;

  const double s = before_contact * *time;
  const auto at = [s](const Vec3& t0, const Vec3& t1) -> Vec3 { return t0 + s * (t1 - t0); };
  const Vec3 a = at(m.a_t0, m.a_t1), b = at(m.b_t0, m.b_t1), c = at(m.c_t0, m.c_t1);
  PairGap gap = measure_gap(at(m.p_t0, m.p_t1), a, b, c);
  if (gap.weights.minCoeff() > 0 && at_end.weights.minCoeff() > 0) {
    // Over the face both then and now: the side is a sign of the face's normal.
    const Vec3 normal_then = (b - a).cross(c - a);
    const Vec3 normal_now = (m.b_t1 - m.a_t1).cross(m.c_t1 - m.a_t1);
    const double area = normal_now.norm();
    if (area > 0) {
      const double side = gap.normal.dot(normal_then) < 0 ? -1 : 1;
      gap.normal = side / area * normal_now;
      gap.weights = at_end.weights;
    }
  }
  const Vec3& w = gap.weights;
  gap.distance = gap.normal.dot(m.p_t1 - (w[0] * m.a_t1 + w[1] * m.b_t1 + w[2] * m.c_t1));
  return gap;
}

PairShifts project(const PairGap& gap, double target, const PairValues& inverse_masses,
                   const PairValues& shares) noexcept {
  const Vec3& w = gap.weights;
  const double compliance =  // sum over the points of share m^-1 |grad distance|^2
      shares.particle * inverse_masses.particle +
      (shares.vertices.array() * inverse_masses.vertices.array() * w.array().square()).sum();
  if (!(gap.distance < target) || !(compliance > 0) || gap.normal.isZero()) return {};
  const Vec3 impulse = (target - gap.distance) / compliance * gap.normal;  // lambda, [kg m]
  PairShifts shifts{inverse_masses.particle * impulse, {}};
  for (std::size_t k = 0; k < 3; ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    shifts.vertices[k] = -w[i] * inverse_masses.vertices[i] * impulse;
  }
  return shifts;
}

}  // namespace sluice::contact
