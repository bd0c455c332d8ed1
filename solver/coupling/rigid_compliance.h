// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/types.h"

namespace sluice::coupling {

/// How easily a rigid body is displaced: the way along a unit vector by which a unit force at a
/// point of the world moves the body there within the substep.
struct RigidCompliance {
  Vec3 centre = Vec3::Zero();           ///< [m]
  double inverse_mass = 0;              ///< [m/N] h^2 / m; 0 for a scripted body
  Mat3 inverse_inertia = Mat3::Zero();  ///< [rad/(N m)] h^2 I^-1, world axes; 0 likewise

  /// [m/N] Returns the compliance at `point` along `direction`, for a force along it.
  [[nodiscard]] double along(const Vec3& direction, const Vec3& point) const {
    const Vec3 arm_moment = (point - centre).cross(direction);
    return inverse_mass + arm_moment.dot(inverse_inertia * arm_moment);
  }
  /// [m/N] Returns a bound for all directions, at most sqrt(2) too large.
  [[nodiscard]] double largest(const Vec3& point) const {
    const Vec3 r = point - centre;
    Mat3 cross;  // [r], so that turning adds [r]^T I^-1 [r]
    cross << 0, -r.z(), r.y(), r.z(), 0, -r.x(), -r.y(), r.x(), 0;
    return inverse_mass + (cross.transpose() * inverse_inertia * cross).norm();
  }
};

}  // namespace sluice::coupling
