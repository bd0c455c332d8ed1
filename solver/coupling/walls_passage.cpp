// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <optional>

#include "solver/coupling/walls.h"
#include "solver/geometry/shape.h"

namespace sluice::coupling {

namespace {

// Of an obstacle's smallest half extent: a way that comes so near to it has met it, and one that
// goes deeper than the second has passed it. What is less deep is led out by Walls::resolve().
constexpr double meeting = 1e-3, passing = 0.5;

// A way along a face converges slowly. One that has not met it after so many strides does not go
// into it steeply enough to pass.
constexpr int most_strides = 64;

bool is_beside(const geometry::Bounds& bounds, const Vec3& from, const Vec3& to) {
  return (from.cwiseMax(to).array() < bounds.lower.array()).any() ||
         (from.cwiseMin(to).array() > bounds.upper.array()).any();
}

/// The part of the way that a point which would pass has gone when it meets the shape;
/// nothing for one that does not pass. All shapes are convex: beyond the plane in which the way
/// goes in there is nothing else that it could go into.
std::optional<double> met_at(const geometry::Shape& shape, const Vec3& from, const Vec3& to) {
  const Vec3 way = to - from;
  const double length = way.norm();
  const double extent = geometry::smallest_half_extent(shape);
  double part = 0;
  for (int stride = 0; stride < most_strides; ++stride) {
    const Vec3 place = from + part * way;
    const geometry::SignedDistance at = geometry::signed_distance(shape, place);
    if (at.distance <= meeting * extent) {
      const double depth = at.normal.dot(place - to) - at.distance;
      return depth > passing * extent ? std::optional(part) : std::nullopt;
    }
    part += at.distance / length;
    if (!(part < 1)) break;
  }
  return std::nullopt;
}

}  // namespace

double Walls::free_part(const Vec3& x_n, const Vec3& x) const {
  double part = 1;
  for (std::size_t k = 0; k < obstacles_.size(); ++k) {
    const Vec3 from = x_n + steps_[k];  // Had it gone along with the obstacle.
    if (is_beside(bounds_[k], from, x)) continue;
    part = std::min(part, met_at(obstacles_[k].shape, from, x).value_or(1));
  }
  return part;
}

}  // namespace sluice::coupling
