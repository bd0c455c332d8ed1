// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solver/geometry/shape.h"

namespace sluice::geometry {

/// Returns the indices of `boxes` in the order of a Morton curve through their centres, on which
/// neighbours in the list are near in space; equal places by index.
///
/// Boxes are finite, fewer than 2^31. The curve has 2^16 places along each axis.
[[nodiscard]] std::vector<std::int32_t> morton_order(std::span<const Bounds> boxes);

}  // namespace sluice::geometry
