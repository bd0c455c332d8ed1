// SPDX-License-Identifier: Apache-2.0
#include "solver/certificate/obstacle_passage.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sluice::certificate {
namespace {

// The rounding of a place, as a part of its size: particles are floats, which walls put on their
// surface with a few roundings.
constexpr double rounding_of_floats = 16 * 6e-8;

// Points may be this part of the contact distance inside a wall: see coupling/README.md about
// particles and walls of NewtonIpc.
constexpr double held_inside = 0.11;

struct Depth {
  Vec3 x;  ///< In the shape's frame.

  double operator()(const geometry::Box& box) const {
    return (box.half_extents - x.cwiseAbs()).minCoeff();
  }
  double operator()(const geometry::Sphere& sphere) const { return sphere.radius - x.norm(); }
  double operator()(const geometry::Capsule& capsule) const {
    const double along = std::clamp(x.z(), -capsule.half_length, capsule.half_length);
    return capsule.radius - std::hypot(x.x(), x.y(), x.z() - along);
  }
  double operator()(const geometry::Cylinder& cylinder) const {
    return std::min(cylinder.radius - std::hypot(x.x(), x.y()),
                    cylinder.half_length - std::abs(x.z()));
  }
  double operator()(const geometry::HalfSpace&) const { return -x.z(); }
};

struct LargestDepth {
  double operator()(const geometry::Box& box) const { return box.half_extents.minCoeff(); }
  double operator()(const geometry::Sphere& sphere) const { return sphere.radius; }
  double operator()(const geometry::Capsule& capsule) const { return capsule.radius; }
  double operator()(const geometry::Cylinder& cylinder) const {
    return std::min(cylinder.radius, cylinder.half_length);
  }
  double operator()(const geometry::HalfSpace&) const { return infinity; }
};

struct Reach {
  double operator()(const geometry::Box& box) const { return box.half_extents.norm(); }
  double operator()(const geometry::Sphere& sphere) const { return sphere.radius; }
  double operator()(const geometry::Capsule& capsule) const {
    return capsule.radius + capsule.half_length;
  }
  double operator()(const geometry::Cylinder& cylinder) const {
    return std::hypot(cylinder.radius, cylinder.half_length);
  }
  double operator()(const geometry::HalfSpace&) const { return infinity; }
};

// [m] From a point to the nearest one of a segment.
double distance_to_way(const Vec3& point, const Vec3& from, const Vec3& to) {
  const Vec3 way = to - from;
  const double squared = way.squaredNorm();
  const double part = squared > 0 ? std::clamp((point - from).dot(way) / squared, 0.0, 1.0) : 0.0;
  return (from + part * way - point).norm();
}

}  // namespace

double depth_in(const geometry::Shape& shape, const Vec3& point) {
  const Vec3 local = shape.rotation.transpose() * (point - shape.translation);
  return std::visit(Depth{local}, shape.form);
}

double largest_depth(const geometry::Shape& shape) {
  return std::visit(LargestDepth{}, shape.form);
}

double depth_along(const geometry::Shape& shape, const Vec3& from, const Vec3& to) {
  const Vec3 start = shape.rotation.transpose() * (from - shape.translation);
  const Vec3 way = shape.rotation.transpose() * (to - from);
  const auto depth_at = [&](double part) {
    return std::visit(Depth{start + part * way}, shape.form);
  };
  // The depth is concave along the way, so a third that does not hold the largest value can go.
  double low = 0, high = 1;
  double deepest = std::max(depth_at(low), depth_at(high));
  for (int i = 0; i < 80 && low < high; ++i) {
    const double a = low + (high - low) / 3, b = high - (high - low) / 3;
    const double at_a = depth_at(a), at_b = depth_at(b);
    deepest = std::max({deepest, at_a, at_b});
    if (at_a < at_b) {
      low = a;
    } else {
      high = b;
    }
  }
  return deepest;
}

ObstaclePassages::ObstaclePassages(const SubstepStates& states)
    : lower_(states.lower), upper_(states.upper) {
  const auto size_of = [](double a, double b) {
    return std::max(std::isfinite(a) ? std::abs(a) : 0.0, std::isfinite(b) ? std::abs(b) : 0.0);
  };
  double size = 0;
  for (int axis = 0; axis < 3; ++axis)
    size = std::max(size, size_of(states.lower[axis], states.upper[axis]));
  const double rounding = rounding_of_floats * size;
  const double slack = rounding + held_inside * states.contact_distance;
  lower_.array() -= slack;
  upper_.array() += slack;
  for (const scene::Obstacle& obstacle : states.obstacles) {
    const double depth = largest_depth(obstacle.shape);
    placed_.push_back({obstacle.shape, states.duration * obstacle.velocity,
                       std::visit(Reach{}, obstacle.shape.form), std::min(slack, 0.25 * depth),
                       0.5 * depth});
  }
}

std::optional<Passage> ObstaclePassages::find(const Vec3& from, const Vec3& to,
                                              std::int64_t& pair_count) const {
  for (std::size_t i = 0; i < placed_.size(); ++i) {
    const Placed& obstacle = placed_[i];
    const Vec3 start = from + obstacle.way;  // The start, seen from the obstacle where it ends.
    if (distance_to_way(obstacle.shape.translation, start, to) > obstacle.reach) continue;
    ++pair_count;
    // Also for what is not a number: no comparison with it holds.
    const bool starts_outside = !(depth_in(obstacle.shape, start) > obstacle.slack);
    if (!starts_outside) continue;
    const bool ends_outside = depth_in(obstacle.shape, to) <= obstacle.slack;
    if (!ends_outside || depth_along(obstacle.shape, start, to) > obstacle.passing)
      return Passage{false, i};
  }
  for (int axis = 0; axis < 3; ++axis) {
    const bool started_inside = from[axis] >= lower_[axis] && from[axis] <= upper_[axis];
    if (!started_inside) continue;
    if (!(to[axis] >= lower_[axis])) return Passage{true, 2 * static_cast<std::size_t>(axis)};
    if (!(to[axis] <= upper_[axis])) return Passage{true, 2 * static_cast<std::size_t>(axis) + 1};
  }
  return std::nullopt;
}

}  // namespace sluice::certificate
