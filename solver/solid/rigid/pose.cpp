// SPDX-License-Identifier: Apache-2.0
#include "solver/solid/rigid/pose.h"

#include <cmath>

namespace sluice::solid {

Quaternion rotation_by(const Vec3& turn) {
  const double half_angle = 0.5 * turn.norm();
  // sin(x) / x is 1 to rounding below 1e-8.
  const double scale = half_angle > 1e-8 ? 0.5 * std::sin(half_angle) / half_angle : 0.5;
  Quaternion rotation;
  rotation.w() = std::cos(half_angle);
  rotation.vec() = scale * turn;
  return rotation;
}

Vec3 turn_of(const Quaternion& rotation) {
  // q and -q are the same rotation; the one with w >= 0 is the shorter way.
  const double sign = rotation.w() < 0 ? -1 : 1;
  const double sine = rotation.vec().norm();
  const double half_angle = std::atan2(sine, sign * rotation.w());
  const double scale = sine > 1e-8 ? 2 * half_angle / sine : 2;
  return sign * scale * rotation.vec();
}

}  // namespace sluice::solid
