// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "solver/geometry/shape.h"
#include "solver/types.h"

namespace sluice::geometry {

/// The part of a line that is in a shape.
struct Chord {
  double first;  ///< Where the line enters: 0 at the first of its points, 1 at the second.
  double last;   ///< Where it leaves, >= first.
};

/// The part of the whole line through `from` and `to` (world frame, [m]) that is in `shape`: all
/// shapes are convex, so there is one part at most. Its ends lie before 0 or beyond 1 where it goes
/// on outside of the way, and are infinite in a half-space.
///
/// Ties: a line that only touches the shape has a chord of no length, or none, as rounding has it.
/// A way of no length has an endless chord inside of the shape, and none outside.
/// Accuracy: closed forms; the ends are off by some units of rounding of the largest length, over
///   the sine of the angle between line and surface.
/// Cost: no allocation, at most three square roots. Pure: call it from any thread.
[[nodiscard]] std::optional<Chord> chord_in(const Shape& shape, const Vec3& from,
                                            const Vec3& to) noexcept;

}  // namespace sluice::geometry
