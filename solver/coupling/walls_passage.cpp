// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <optional>

#include "solver/coupling/walls.h"
#include "solver/geometry/shape.h"
#include "solver/geometry/shape_chord.h"

namespace sluice::coupling {

namespace {

// Parts of an obstacle's smallest half extent: a way that goes deeper than the second passes it,
// and ends by the first before it. A point that is less deep is led out by Walls::resolve().
constexpr double meeting = 1e-3, passing = 0.5;

bool is_beside(const geometry::Bounds& bounds, const Vec3& from, const Vec3& to) {
  return (from.cwiseMax(to).array() < bounds.lower.array()).any() ||
         (from.cwiseMin(to).array() > bounds.upper.array()).any();
}

/// The part of the way that a point which would pass has gone when it meets the shape;
/// nothing for one that does not pass. All shapes are convex: beyond the plane in which the way
/// goes in there is nothing else that it could go into.
std::optional<double> met_at(const geometry::Shape& shape, const Vec3& from, const Vec3& to) {
  const auto chord = geometry::chord_in(shape, from, to);
  if (!chord || chord->first > 1 || chord->last < 0) return std::nullopt;
  const double extent = geometry::smallest_half_extent(shape);
  const double first = std::max(chord->first, 0.0);
  const Vec3 way = to - from, place = from + first * way;
  const geometry::SignedDistance at = geometry::signed_distance(shape, place);
  const double depth = at.normal.dot(place - to) - at.distance;
  if (!(depth > passing * extent)) return std::nullopt;
  return std::max(0.0, first + meeting * extent / at.normal.dot(way));
}

}  // namespace

Vec3 Walls::end_of_way(const Vec3& x_n, const Vec3& x) const {
  Vec3 end = x;
  for (std::size_t k = 0; k < obstacles_.size(); ++k) {
    const Vec3 from = x_n + steps_[k];  // Had it gone along with the obstacle.
    if (is_beside(bounds_[k], from, end)) continue;
    if (const auto part = met_at(obstacles_[k].shape, from, end)) end = from + *part * (end - from);
  }
  return end;
}

}  // namespace sluice::coupling
