// SPDX-License-Identifier: Apache-2.0
#include "solver/contact/motion_bounds.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "solver/parallel/parallel_reduce.h"

namespace sluice::contact {
namespace {

constexpr std::int64_t motion_bounds_grain = 4096;

bool contains(const geometry::Bounds& box, const Vec3& place) {
  return (place.array() >= box.lower.array()).all() && (place.array() <= box.upper.array()).all();
}

// [m] How far `place` is from the box of `start` and `end`, along any axis; at least. Without
// conversions to double, which would be most of a pass over all particles.
float distance_from_way(const Vec3f& start, const Vec3f& end, const Vec3f& place) {
  constexpr float rounding = 1 + 2e-7F;
  const Vec3f nearest = place.cwiseMax(start.cwiseMin(end)).cwiseMin(start.cwiseMax(end));
  return rounding * (place - nearest).cwiseAbs().maxCoeff();
}
double distance_from_way(const Vec3& start, const Vec3& end, const Vec3& place) {
  const Vec3 nearest = place.cwiseMax(start.cwiseMin(end)).cwiseMin(start.cwiseMax(end));
  return (place - nearest).cwiseAbs().maxCoeff();
}

template <typename Places, typename IsInside, typename BoxOf>
std::int64_t clamp_to_boxes(Places places, const IsInside& is_inside, const BoxOf& box_of) {
  using Scalar = typename Places::value_type::Scalar;
  return parallel::parallel_reduce(
      0, static_cast<std::int64_t>(places.size()), motion_bounds_grain, std::int64_t{0},
      [&](std::int64_t first, std::int64_t last) {
        std::int64_t count = 0;
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
          if (is_inside(i)) continue;
          const geometry::Bounds box = box_of(i);
          const Vec3 place = places[i].template cast<double>();
          if (contains(box, place)) continue;
          ++count;
          for (Eigen::Index axis = 0; axis < 3; ++axis) {
            const double low = box.lower[axis], high = box.upper[axis];
            auto held = static_cast<Scalar>(std::clamp(place[axis], low, high));
            // A float may be rounded outwards.
            while (double{held} < low)
              held = std::nextafter(held, std::numeric_limits<Scalar>::max());
            while (double{held} > high)
              held = std::nextafter(held, std::numeric_limits<Scalar>::lowest());
            places[i][axis] = held;
          }
        }
        return count;
      },
      [](std::int64_t a, std::int64_t b) { return a + b; });
}

template <typename Vector>
double excess_of(std::span<const Vector> starts, std::span<const Vector> ends,
                 std::span<const Vector> places) {
  assert(starts.size() == ends.size() && ends.size() == places.size());
  using Scalar = typename Vector::Scalar;
  return static_cast<double>(parallel::parallel_reduce(
      0, static_cast<std::int64_t>(places.size()), motion_bounds_grain, Scalar{0},
      [&](std::int64_t first, std::int64_t last) {
        Scalar largest = 0;
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i)
          largest = std::max(largest, distance_from_way(starts[i], ends[i], places[i]));
        return largest;
      },
      [](Scalar a, Scalar b) { return std::max(a, b); }));
}

}  // namespace

void MotionBounds::begin(const PointsView& t0, const PointsView& predicted, double slack) {
  assert(slack >= 0);
  assert(t0.particles.size() == predicted.particles.size() &&
         t0.vertices.size() == predicted.vertices.size());
  t0_ = t0;
  particle_ends_.assign(predicted.particles.begin(), predicted.particles.end());
  vertex_ends_.assign(predicted.vertices.begin(), predicted.vertices.end());
  slack_ = slack;
}

double MotionBounds::largest_way(std::size_t vertex, const Vec3& place) const {
  const geometry::Bounds may_be = vertex_box(vertex);
  // Room for the rounding of the sums.
  return (1 + 1e-15) * (may_be.upper - place).cwiseMax(place - may_be.lower).norm();
}

bool MotionBounds::allows(std::size_t vertex, const Vec3& place) const {
  return contains(vertex_box(vertex), place);
}

double MotionBounds::largest_excess(const PointsView& places) const {
  return std::max(excess_of<Vec3f>(t0_.particles, particle_ends_, places.particles),
                  excess_of<Vec3>(t0_.vertices, vertex_ends_, places.vertices));
}

std::int64_t MotionBounds::clamp(const PointsSpan& t1, std::size_t vertex_end) const {
  assert(t1.particles.size() == t0_.particles.size() && t1.vertices.size() == t0_.vertices.size());
  // Less than the slack by more than a box's own rounding.
  const auto surely = static_cast<float>((1 - 1e-6) * slack_);
  return clamp_to_boxes(
             t1.particles,
             [&](std::size_t i) {
               return distance_from_way(t0_.particles[i], particle_ends_[i], t1.particles[i]) <
                      surely;
             },
             [&](std::size_t i) { return particle_box(i); }) +
         clamp_to_boxes(
             t1.vertices.first(vertex_end), [](std::size_t) { return false; },
             [&](std::size_t i) { return vertex_box(i); });
}

}  // namespace sluice::contact
