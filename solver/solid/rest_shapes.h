// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/types.h"

namespace sluice::solid {

/// Elements with `dim` + 1 corners at rest.
template <int dim>
struct RestShapes {
  using Corners = std::array<std::int32_t, dim + 1>;
  /// Columns: from corner 0 to the others, in `dim` coordinates of the element's own.
  using Edges = Eigen::Matrix<double, dim, dim>;

  std::span<const Corners> elements;
  std::vector<Edges> edges;      ///< [m]
  std::vector<double> measures;  ///< Volume [m^3], > 0 (asserted).
  int second_axis = 1;           ///< The world's axis of the second coordinate in plane_shapes().
};

[[nodiscard]] RestShapes<3> tet_shapes(std::span<const Vec3> rest_positions,
                                       std::span<const std::array<std::int32_t, 4>> tets);

/// Triangles in a plane of the world along x and `second`, 1 (y) or 2 (z); `thickness` [m].
[[nodiscard]] RestShapes<2> plane_shapes(std::span<const Vec3> rest_positions,
                                         std::span<const TriangleIndices> triangles, int second = 1,
                                         double thickness = 1);

/// Triangles, each in its own plane, its first edge along the first axis; `thickness` [m].
[[nodiscard]] RestShapes<2> membrane_shapes(std::span<const Vec3> rest_positions,
                                            std::span<const TriangleIndices> triangles,
                                            double thickness);

}  // namespace sluice::solid
