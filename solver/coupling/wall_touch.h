// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "solver/geometry/shape.h"
#include "solver/types.h"

namespace sluice::coupling {

/// A point near a wall, which moves only as told, with the gap that a barrier keeps open.
///
/// The gap is the distance less `floor`, and the barrier begins where it is `range`.
struct WallTouch {
  std::int32_t point = -1;
  const geometry::Shape* shape = nullptr;  ///< Null for a plane.
  Vec3 normal = Vec3::Zero();              ///< The plane's: unit, into the room.
  double offset = 0;                       ///< [m] of the plane: normal . x
  Vec3 shift = Vec3::Zero();  ///< [m] The obstacle's way still to go: `shape` is its end.
  Vec3 step = Vec3::Zero();   ///< [m] The obstacle's whole way.
  double floor = 0;           ///< [m] Distance that is never reached, <= 0.
  double range = 0;           ///< [m] > 0
  double friction = 0;        ///< Coulomb coefficient, >= 0.

  /// [m] Returns the gap where the point is at `x`. Lipschitz with constant 1.
  [[nodiscard]] geometry::SignedDistance gap_at(const Vec3& x) const noexcept {
    geometry::SignedDistance at = shape != nullptr
                                      ? geometry::signed_distance(*shape, x + shift)
                                      : geometry::SignedDistance{normal.dot(x) - offset, normal};
    at.distance -= floor;
    return at;
  }
};

/// Returns how far the points of `touches` may go from `x` [m] along their `direction` at once, as
/// a multiple of it up to `longest`, with a tenth of each gap left all the way.
[[nodiscard]] double largest_step(std::span<const WallTouch> touches, std::span<const Vec3> x,
                                  std::span<const Vec3> direction, double longest);

/// Returns the part of its `shift` that each obstacle may go while the points stay where they are,
/// the same part for all, with a tenth of each gap left.
[[nodiscard]] double largest_advance(std::span<const WallTouch> touches, std::span<const Vec3> x);

}  // namespace sluice::coupling
