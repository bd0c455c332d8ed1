// SPDX-License-Identifier: Apache-2.0
#include "solver/contact/gap.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solver/geometry/point_triangle.h"
#include "solver/parallel/parallel_reduce.h"

namespace sluice::contact {
namespace {

// Where on the way to a contact its side is read: late enough to be that of the contact, early
// enough for the gap not to be rounding noise.
constexpr double before_contact = 0.9;

constexpr std::int64_t grain = 512;  // Candidates a chunk, some 20 us.

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

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
  const auto between = [s](const Vec3& t0, const Vec3& t1) -> Vec3 { return t0 + s * (t1 - t0); };
  const Vec3 a = between(m.a_t0, m.a_t1), b = between(m.b_t0, m.b_t1), c = between(m.c_t0, m.c_t1);
  PairGap gap = measure_gap(between(m.p_t0, m.p_t1), a, b, c);
  if (gap.distance > 0 && gap.weights.minCoeff() > 0 && at_end.weights.minCoeff() > 0) {
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

double smallest_gap(std::span<const Candidate> candidates,
                    std::span<const TriangleIndices> triangles, const PointsView& points) {
  return parallel::parallel_reduce(
      0, static_cast<std::int64_t>(candidates.size()), grain,
      std::numeric_limits<double>::infinity(),
      [&](std::int64_t first, std::int64_t last) {
        double smallest = std::numeric_limits<double>::infinity();
        for (auto c = static_cast<std::size_t>(first); c < static_cast<std::size_t>(last); ++c) {
          const TriangleIndices& t = triangles[at(candidates[c].triangle)];
          smallest = std::min(smallest,
                              measure_gap(points.at(candidates[c].point), points.vertices[at(t[0])],
                                          points.vertices[at(t[1])], points.vertices[at(t[2])])
                                  .distance);
        }
        return smallest;
      },
      [](double a, double b) { return std::min(a, b); });
}

}  // namespace sluice::contact
