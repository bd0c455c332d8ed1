// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "solver/geometry/shape.h"
#include "solver/types.h"

namespace sluice::fluid {

/// An emitter, as a grid that makes room for its flux needs to know it.
struct Inlet {
  geometry::Shape shape;
  Vec3 velocity = Vec3::Zero();                           ///< [m/s] of what it holds
  double area = 0;                                        ///< [m^2] across that
  double rate = std::numeric_limits<double>::infinity();  ///< [m^3/s] at most
  bool is_open = false;
};

/// What such a grid lets an emitter have of its flux in a substep.
struct Inflow {
  double wanted = 0;  ///< [m^3/s] Its flux, as far as solids leave it free.
  double flux = 0;    ///< [m^3/s] What comes in of that: less, where there is no room for it.

  [[nodiscard]] double part() const noexcept { return wanted > 0 ? flux / wanted : 0; }
};

}  // namespace sluice::fluid
