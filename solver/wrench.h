// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/types.h"

namespace sluice {

/// Force and torque about a body's centre of mass, or their integrals over time; world axes.
struct Wrench {
  Vec3 force = Vec3::Zero();   ///< [N], or an impulse [N s]
  Vec3 torque = Vec3::Zero();  ///< [N m], or [N m s]
};

}  // namespace sluice
