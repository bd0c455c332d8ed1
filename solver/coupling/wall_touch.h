// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "solver/geometry/shape.h"
#include "solver/types.h"

namespace sluice::coupling {

/// A point near something that moves only as told, with the gap that a barrier keeps open.
///
/// The gap is the distance less `floor`, and the barrier begins where it is `range`.
struct WallTouch {
  std::int32_t point = -1;
  const geometry::Shape* shape = nullptr;  ///< Null for a plane.
  Vec3 normal = Vec3::Zero();              ///< Of the plane: unit, into the room.
  double offset = 0;                       ///< [m] of the plane: normal . x
  Vec3 shift = Vec3::Zero();  ///< [m] What the obstacle still has to go: `shape` is where it ends.
  Vec3 step = Vec3::Zero();   ///< [m] What it goes altogether.
  double floor = 0;           ///< [m] Distance that is never reached, <= 0.
  double range = 0;           ///< [m] > 0
  double friction = 0;        ///< Coulomb coefficient, >= 0.

  /// [m] Of a place of the point. Lipschitz with constant 1.
  [[nodiscard]] geometry::SignedDistance gap_at(const Vec3& x) const noexcept {
    geometry::SignedDistance at = shape != nullptr
                                      ? geometry::signed_distance(*shape, x + shift)
                                      : geometry::SignedDistance{normal.dot(x) - offset, normal};
    at.distance -= floor;
    return at;
  }
};

/// How far the points of `touches` may go from `x` [m] along their `direction` at once, as a
/// multiple of it up to `longest`, with a tenth of each gap left all the way.
[[nodiscard]] double largest_step(std::span<const WallTouch> touches, std::span<const Vec3> x,
                                  std::span<const Vec3> direction, double longest);

/// The part of its `shift` that each obstacle may go while the points stay where they are, all the
/// same part, with a tenth of each gap left.
[[nodiscard]] double largest_advance(std::span<const WallTouch> touches, std::span<const Vec3> x);

}  // namespace sluice::coupling
