// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The conditions at walls and at the sides of the domain.
namespace sluice::scene {

/// How fluid and solids meet at a wall.
enum class WallCondition {
  slip,      ///< Only the velocity into the wall is removed.
  no_slip,   ///< The whole velocity is removed.
  friction,  ///< Like slip, but Coulomb friction removes some of the rest.
};

/// The kind of a side of the domain, for fluid. For solids it is a wall.
enum class Side {
  wall,
  open,      ///< Fluid goes out.
  periodic,  ///< Fluid goes out, and comes in by the side opposite, which is periodic too.
};

}  // namespace sluice::scene
