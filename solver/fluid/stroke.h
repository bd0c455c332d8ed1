// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/scene/gas.h"
#include "solver/types.h"

namespace sluice::fluid {

/// Content that people paint into a gas along a straight line: all of it on the line itself, and
/// less and less of it up to `radius`, where there is none.
struct Stroke {
  Vec3 from, to;  ///< [m]
  double radius;  ///< [m], > 0
  scene::GasContent content;
};

}  // namespace sluice::fluid
