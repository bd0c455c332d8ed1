// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/types.h"

namespace sluice::fluid {

/// Extra acceleration of the particles within a ball, for steering.
struct Push {
  Vec3 center;        ///< [m]
  double radius;      ///< [m], > 0
  Vec3 acceleration;  ///< [m/s^2]
};

}  // namespace sluice::fluid
