// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/geometry/shape.h"

namespace sluice::geometry {

/// The shape that `shape` is to a flow which is the same all along `axis`, a unit vector, and which
/// is looked at in the plane across it through `point` [m].
///
/// A box, cylinder or capsule whose edges or axis are along `axis`, and which reaches the plane,
/// goes on for ever: its ends are no surface that such a flow could meet, however near to the plane
/// they are. Every other shape is returned as it is.
[[nodiscard]] Shape endless_along(const Shape& shape, const Vec3& axis, const Vec3& point) noexcept;

}  // namespace sluice::geometry
