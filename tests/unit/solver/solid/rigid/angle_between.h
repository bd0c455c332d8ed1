// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/solid/rigid/pose.h"

namespace sluice::solid {

/// [rad] The angle of the turn from one attitude to the other, in [0, pi].
inline double angle_between(const Quaternion& a, const Quaternion& b) {
  return turn_of(a * b.conjugate()).norm();
}

}  // namespace sluice::solid
