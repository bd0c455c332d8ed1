// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/obstacles/obstacle_velocity.h"

#include <algorithm>

namespace sluice::fluid {

namespace {

// The part of `along` that is left where friction takes at most `most` from its length.
Vec3f held_back(const Vec3f& along, float most) {
  const float length = along.norm();
  return length > most ? Vec3f((1 - most / length) * along) : Vec3f(Vec3f::Zero());
}

}  // namespace

Vec3f resolve(const Vec3f& velocity, const Vec3f& normal, const scene::Obstacle& obstacle) {
  Vec3f own = obstacle.velocity.cast<float>();
  if (obstacle.wall == scene::WallCondition::no_slip) return own;
  const Vec3f relative = velocity - own;
  const float across = relative.dot(normal), stopped = std::min(0.0F, across);
  if (obstacle.wall == scene::WallCondition::slip || stopped == 0)
    return velocity - stopped * normal;
  const Vec3f along = relative - across * normal;
  return own + held_back(along, -stopped * static_cast<float>(obstacle.friction));
}

}  // namespace sluice::fluid
