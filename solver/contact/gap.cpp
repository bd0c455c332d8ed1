// SPDX-License-Identifier: Apache-2.0
#include "solver/contact/gap.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "solver/geometry/point_triangle.h"
#include "solver/parallel/parallel_reduce.h"

namespace sluice::contact {
namespace {

using geometry::PairPoints;

// Where on the way to a contact its side is read: late enough to be that of the contact, early
// enough for the gap not to be rounding noise.
constexpr double before_contact = 0.9;

// Between two edges, or sides of a triangle, below which what is across both says nothing.
constexpr double smallest_sine = 1e-2;

constexpr std::int64_t gap_grain = 512;  // Pairs a chunk, some 20 us.

// Across the triangle, or both edges; of any length.
Vec3 normal_of(PairKind kind, const PairPoints& x) {
  return kind == PairKind::point_triangle ? (x[2] - x[1]).cross(x[3] - x[1])
                                          : (x[1] - x[0]).cross(x[3] - x[2]);
}

// The length that the normal would have if its two sides were at right angles.
double longest_product(PairKind kind, const PairPoints& x) {
  return kind == PairKind::point_triangle ? (x[2] - x[1]).norm() * (x[3] - x[1]).norm()
                                          : (x[1] - x[0]).norm() * (x[3] - x[2]).norm();
}

double distance_along(const Vec3& normal, const geometry::Vec4& weights, const PairPoints& x) {
  return normal.dot(weights[0] * x[0] + weights[1] * x[1] + weights[2] * x[2] + weights[3] * x[3]);
}

}  // namespace

PairGap measure_gap(PairKind kind, const PairPoints& x) noexcept {
  Vec3 offset;
  geometry::Vec4 weights;
  if (kind == PairKind::point_triangle) {
    const geometry::NearestPoint nearest = geometry::nearest_point({x[1], x[2], x[3]}, x[0]);
    offset = x[0] - nearest.position;
    weights << 1, -nearest.weights;
  } else {
    const geometry::PairDistance nearest = geometry::edge_edge_distance(x);
    offset = nearest.offset;
    weights = nearest.coefficients;
  }
  const double distance = offset.norm();
  if (distance == 0) return {weights, 0, Vec3::Zero()};
  return {weights, distance, offset / distance};
}

PairGap measure_gap(PairKind kind, const PairPoints& t0, const PairPoints& t1) noexcept {
  const std::optional<double> time = first_contact(kind, t0, t1);
  PairGap at_end = measure_gap(kind, t1);
  if (!time) return at_end;

  const double s = before_contact * *time;
  PairPoints before;
  for (std::size_t k = 0; k < 4; ++k)
    before[k] = t0[k] + s * (t1[k] - t0[k]);
  PairGap gap = measure_gap(kind, before);
  if (gap.distance > 0 && gap.is_inside() && at_end.is_inside()) {
    // Inside both then and now: the side is a sign of what is across both.
    const Vec3 normal_now = normal_of(kind, t1);
    const double size = normal_now.norm();
    if (size > smallest_sine * longest_product(kind, t1)) {
      const double side = gap.normal.dot(normal_of(kind, before)) < 0 ? -1 : 1;
      gap.normal = side / size * normal_now;
      gap.weights = at_end.weights;
    }
  }
  gap.distance = distance_along(gap.normal, gap.weights, t1);
  return gap;
}

double smallest_gap(const PairsView& pairs, const PointsView& points) {
  return parallel::parallel_reduce(
      0, static_cast<std::int64_t>(pairs.size()), gap_grain,
      std::numeric_limits<double>::infinity(),
      [&](std::int64_t first, std::int64_t last) {
        double smallest = std::numeric_limits<double>::infinity();
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
          const PairPoints x = places(pairs.indices(i, points.particles.size()), points);
          smallest = std::min(smallest, measure_gap(pairs.kind(i), x).distance);
        }
        return smallest;
      },
      [](double a, double b) { return std::min(a, b); });
}

}  // namespace sluice::contact
