// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/geometry/shape.h"
#include "solver/types.h"

namespace sluice::fluid {

/// [m^2] The area of a bounded `shape`, seen along the unit vector `along`, as far as it is in the
/// box from `lower` to `upper` [m]; 0 where it is outside. In two dimensions (`is_flat`) its width
/// in the plane through the box's middle along y, times the box's depth.
///
/// Accuracy: 0.3 %; exact for boxes along the axes.
/// Cost: some milliseconds. Pure: call it from any thread.
[[nodiscard]] double area_across(const Vec3& along, const geometry::Shape& shape, const Vec3& lower,
                                 const Vec3& upper, bool is_flat);

}  // namespace sluice::fluid
