// SPDX-License-Identifier: Apache-2.0
#include "solver/simulation/obstacles.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "solver/geometry/shape.h"

namespace sluice::simulation {

namespace {

/// The bounds that have to stay in the domain: of a half-space, its point alone.
geometry::Bounds kept_bounds(const geometry::Shape& shape) {
  const bool is_half_space = std::holds_alternative<geometry::HalfSpace>(shape.form);
  return is_half_space ? geometry::Bounds{shape.translation, shape.translation}
                       : geometry::bounds(shape);
}

}  // namespace

Obstacles::Obstacles(const scene::Scene& scene) : current_(scene.obstacles) {
  motions_.reserve(current_.size());
  for (const scene::Obstacle& obstacle : current_) {
    const geometry::Bounds kept = kept_bounds(obstacle.shape);
    motions_.push_back({.start = obstacle.shape.translation,
                        .least = (scene.domain_lower - kept.lower).cwiseMin(0),
                        .most = (scene.domain_upper - kept.upper).cwiseMax(0),
                        .smallest_half_extent = geometry::smallest_half_extent(obstacle.shape)});
  }
}

bool Obstacles::set_velocity(const std::string& name, const Vec3& velocity) {
  for (std::size_t k = 0; k < current_.size(); ++k) {
    if (current_[k].name != name) continue;
    motions_[k].wanted = velocity;
    return true;
  }
  return false;
}

Vec3 Obstacles::free_velocity(const Motion& motion) {
  Vec3 velocity = motion.wanted;
  for (int axis = 0; axis < 3; ++axis) {
    const bool is_stopped = (velocity[axis] < 0 && motion.offset[axis] <= motion.least[axis]) ||
                            (velocity[axis] > 0 && motion.offset[axis] >= motion.most[axis]);
    if (is_stopped) velocity[axis] = 0;
  }
  return velocity;
}

double Obstacles::largest_speed() const {
  double largest = 0;
  for (const Motion& motion : motions_)
    largest = std::max(largest, free_velocity(motion).norm());
  return largest;
}

double Obstacles::longest_substep() const {
  double longest = infinity;
  for (const Motion& motion : motions_) {
    const double speed = free_velocity(motion).norm();
    if (speed > 0) longest = std::min(longest, 0.25 * motion.smallest_half_extent / speed);
  }
  return longest;
}

void Obstacles::advance(double h) {
  for (std::size_t k = 0; k < current_.size(); ++k) {
    Motion& motion = motions_[k];
    const Vec3 before = motion.offset;
    // The clamp changes nothing along an axis that does not move: 0 is between, and so is `before`.
    motion.offset =
        (before + h * free_velocity(motion)).cwiseMax(motion.least).cwiseMin(motion.most);
    current_[k].velocity = (motion.offset - before) / h;
    current_[k].shape.translation = motion.start + motion.offset;
  }
}

std::vector<ObstacleOffset> Obstacles::offsets() const {
  std::vector<ObstacleOffset> offsets;
  for (std::size_t k = 0; k < current_.size(); ++k) {
    if (motions_[k].offset.isZero(0)) continue;
    offsets.push_back({current_[k].name, motions_[k].offset});
  }
  return offsets;
}

void Obstacles::save(ByteWriter& out) const {
  for (const Motion& motion : motions_) {
    out.put_array(std::span<const double>(motion.offset.data(), 3));
    out.put_array(std::span<const double>(motion.wanted.data(), 3));
  }
}

bool Obstacles::restore(ByteReader& in) {
  for (std::size_t k = 0; k < current_.size(); ++k) {
    Motion& motion = motions_[k];
    if (!in.get_array(std::span<double>(motion.offset.data(), 3)) ||
        !in.get_array(std::span<double>(motion.wanted.data(), 3))) {
      return false;
    }
    current_[k].shape.translation = motion.start + motion.offset;
    current_[k].velocity.setZero();
  }
  return true;
}

}  // namespace sluice::simulation
