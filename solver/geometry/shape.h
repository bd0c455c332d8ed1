// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>

#include "solver/types.h"

namespace sluice::geometry {

/// An axis-aligned box in its own frame, centred at the origin.
struct Box {
  Vec3 half_extents;  ///< [m], each > 0
};
struct Sphere {
  double radius;  ///< [m], > 0
};
/// A segment along the local z axis, centred at the origin, swept by a ball.
struct Capsule {
  double radius;       ///< [m], > 0
  double half_length;  ///< [m], > 0: half the distance of the two ball centres.
};
/// A solid cylinder along the local z axis, centred at the origin.
struct Cylinder {
  double radius;       ///< [m], > 0
  double half_length;  ///< [m], > 0
};
/// Everything at or below the local plane z = 0.
struct HalfSpace {};

/// An analytic solid, placed in the world by a rigid motion.
struct Shape {
  std::variant<Box, Sphere, Capsule, Cylinder, HalfSpace> form;
  Vec3 translation = Vec3::Zero();   ///< [m]
  Mat3 rotation = Mat3::Identity();  ///< world_from_shape; orthonormal, determinant 1
};

/// The distance of a point from the surface of a shape, and which way is out.
struct SignedDistance {
  double distance;  ///< [m] negative inside; exact (not a bound) for every form.
  Vec3 normal;  ///< Unit outward gradient of `distance`, world frame; any one of them on the medial
                ///< axis.
};

/// Exact signed distance from `point` (world frame, [m]) to the surface of `shape`. Pure; no
/// allocation.
[[nodiscard]] SignedDistance signed_distance(const Shape& shape, const Vec3& point) noexcept;

/// World-frame axis-aligned bounds of `shape`; infinite for a half-space. Not tight for a rotated
/// box or cylinder.
struct Bounds {
  Vec3 lower, upper;  ///< [m]
};
[[nodiscard]] Bounds bounds(const Shape& shape) noexcept;

/// Returns half the shortest way [m] through the middle of `shape`; infinite for a half-space.
[[nodiscard]] double smallest_half_extent(const Shape& shape) noexcept;

}  // namespace sluice::geometry
