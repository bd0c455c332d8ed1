// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include "solver/types.h"

/// Signs of determinants, exact whatever the rounding.
///
/// Domain: finite coordinates, each 0 or of magnitude within [2^-250, 2^250]; any one unit.
/// Cost: some 5 ns where the rounded value is beyond its error bound, some microseconds elsewhere.
/// Source: [Shewchuk1997]: error bounds of his stage A, then the whole determinant as an expansion.
namespace sluice::geometry {

/// 1 if d lies below the plane through a, b, c (from which a, b, c appear counterclockwise from
/// above), -1 if above, 0 if the four are coplanar: the sign of (a - d) . (b - d) x (c - d).
[[nodiscard]] int orientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) noexcept;

/// 1 if a, b, c turn left, -1 if right, 0 if they are on one line.
[[nodiscard]] int orientation(const Eigen::Vector2d& a, const Eigen::Vector2d& b,
                              const Eigen::Vector2d& c) noexcept;

}  // namespace sluice::geometry
