// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>  // cross()
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace sluice {

using Vec3 = Eigen::Vector3d;   ///< Solids, contact, scene input: double.
using Vec3f = Eigen::Vector3f;  ///< Fluid particles and grids: float.
using Mat3 = Eigen::Matrix3d;
using Mat3f = Eigen::Matrix3f;

/// Corners of a triangle, or the ends of an edge, as indices into an array of vertices.
using TriangleIndices = std::array<std::int32_t, 3>;
using EdgeIndices = std::array<std::int32_t, 2>;

/// An index of a mesh or a matrix, >= 0, as a place in an array.
[[nodiscard]] constexpr std::size_t at(std::int32_t index) noexcept {
  return static_cast<std::size_t>(index);
}

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// The row of a particle that is not there.
inline constexpr std::uint32_t no_row = std::numeric_limits<std::uint32_t>::max();

}  // namespace sluice
