// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/obstacles/obstacle_ways.h"

#include <cmath>

#include "solver/fluid/obstacles/in_plane.h"
#include "solver/fluid/obstacles/obstacle_velocity.h"
#include "solver/geometry/shape_chord.h"

namespace sluice::fluid {
namespace {

// Obstacles that a way is bent at, one after the other, before it ends where it meets the next.
constexpr int most_bends = 4;

// Margins that particles are brought to, so that rounding leaves them the margin itself.
constexpr double full_margin = 1.5;

bool overlap(const geometry::Bounds& bounds, const Vec3& from, const Vec3& to) {
  return (bounds.lower.array() <= from.cwiseMax(to).array()).all() &&
         (bounds.upper.array() >= from.cwiseMin(to).array()).all();
}

}  // namespace

void ObstacleWays::set(std::span<const scene::Obstacle> obstacles) {
  obstacles_.assign(obstacles.begin(), obstacles.end());
  bounds_.clear();
  moving_.clear();
  for (std::uint32_t o = 0; o < obstacles_.size(); ++o) {
    bounds_.push_back(geometry::bounds(obstacles_[o].shape));
    if (!obstacles_[o].velocity.isZero(0)) moving_.push_back(o);
  }
}

void ObstacleWays::meet(const Limits& limits, std::uint32_t obstacle, const Vec3& from,
                        const Vec3& to, std::optional<Meeting>& first) const {
  const scene::Obstacle& it = obstacles_[obstacle];
  const Vec3 start = from + static_cast<double>(limits.h) * it.velocity;
  if (!overlap(bounds_[obstacle], start, to)) return;
  const auto chord = geometry::chord_in(it.shape, start, to);
  if (!chord || !(chord->first >= 0 && chord->first <= 1 && chord->first < chord->last)) return;
  if (first && first->part <= chord->first) return;
  const Vec3 place = start + chord->first * (to - start);
  Vec3 normal = geometry::signed_distance(it.shape, place).normal;
  if (limits.is_flat) {
    normal.y() = 0;
    const double in_plane = normal.norm();
    if (in_plane < least_in_plane) return;  // The plane leads along this face.
    normal /= in_plane;
  }
  first = Meeting{chord->first, place, normal, &it};
}

auto ObstacleWays::first_meeting(const Limits& limits, std::span<const std::uint32_t> near,
                                 const Vec3& from, const Vec3& to) const -> std::optional<Meeting> {
  std::optional<Meeting> first;
  for (const std::uint32_t o : near)
    meet(limits, o, from, to, first);
  for (const std::uint32_t o : moving_)
    meet(limits, o, from, to, first);
  return first;
}

void ObstacleWays::bend(const Limits& limits, std::span<const std::uint32_t> near,
                        const Vec3f& position, Vec3f& target, Vec3f& velocity) const {
  if ((near.empty() && moving_.empty()) || !target.allFinite()) return;
  const Vec3 from = position.cast<double>();
  Vec3 to = target.cast<double>();
  for (int bend = 0;; ++bend) {
    const auto met = first_meeting(limits, near, from, to);
    if (!met) {
      if (bend > 0) target = to.cast<float>();
      return;
    }
    if (bend == most_bends) {
      // Between obstacles that leave no way on, it goes along with the one that it would meet.
      velocity = met->obstacle->velocity.cast<float>();
      target = position + limits.h * velocity;
      return;
    }
    velocity = resolve(velocity, met->normal.cast<float>(), *met->obstacle);
    const double depth = met->normal.dot(met->place - to);
    to += (depth + full_margin * limits.margin) * met->normal;
  }
}

bool ObstacleWays::is_blocked(const Limits& limits, std::span<const std::uint32_t> near,
                              const Vec3f& position, const Vec3f& target) const {
  if ((near.empty() && moving_.empty()) || !target.allFinite()) return false;
  return first_meeting(limits, near, position.cast<double>(), target.cast<double>()).has_value();
}

}  // namespace sluice::fluid
