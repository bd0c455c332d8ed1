// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "solver/geometry/shape.h"
#include "solver/types.h"

namespace sluice::fluid {

/// An emitter, as a grid that makes room for its flux needs to know it.
struct Inlet {
  geometry::Shape shape;
  Vec3 velocity = Vec3::Zero();                           ///< [m/s] of the fluid that it holds
  double area = 0;                                        ///< [m^2] of it, seen along `velocity`
  double rate = std::numeric_limits<double>::infinity();  ///< [m^3/s] at most
  bool is_open = false;
};

/// The flux that such a grid grants an emitter in a substep.
struct Inflow {
  double wanted = 0;  ///< [m^3/s] Its flux, as far as solids leave it free.
  double flux = 0;    ///< [m^3/s] The flux that comes in: less, where there is no room for it.

  [[nodiscard]] double part() const noexcept { return wanted > 0 ? flux / wanted : 0; }
};

}  // namespace sluice::fluid
