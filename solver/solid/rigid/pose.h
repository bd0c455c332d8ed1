// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/types.h"

namespace sluice::solid {

using Quaternion = Eigen::Quaterniond;

/// The place of a frame in another: p_outer = rotation p_inner + translation.
struct Pose {
  Vec3 translation = Vec3::Zero();               ///< [m]
  Quaternion rotation = Quaternion::Identity();  ///< Unit.
};

[[nodiscard]] inline Vec3 transform(const Pose& pose, const Vec3& point) {
  return pose.rotation * point + pose.translation;
}

[[nodiscard]] inline Pose inverse(const Pose& pose) {
  const Quaternion back = pose.rotation.conjugate();
  return {-(back * pose.translation), back};
}

/// Returns a_from_c: first b_from_c, then a_from_b.
[[nodiscard]] inline Pose compose(const Pose& a_from_b, const Pose& b_from_c) {
  return {transform(a_from_b, b_from_c.translation),
          (a_from_b.rotation * b_from_c.rotation).normalized()};
}

/// Returns the rotation about `turn` by its length [rad].
[[nodiscard]] Quaternion rotation_by(const Vec3& turn);

/// Returns the shortest turn [rad] of a rotation, at most pi long: the inverse of rotation_by.
[[nodiscard]] Vec3 turn_of(const Quaternion& rotation);

}  // namespace sluice::solid
