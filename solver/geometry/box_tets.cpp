// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/box_tets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <utility>

namespace sluice::geometry {

namespace {

// Corners of a cell by bits: 1 along x, 2 along y, 4 along z. The tetrahedron of 0, 3, 5, 6 in the
// middle, and one at each other corner; positive.
constexpr std::array<std::array<std::size_t, 4>, 5> five_tets{
    {{0, 3, 6, 5}, {1, 3, 0, 5}, {2, 0, 3, 6}, {4, 0, 6, 5}, {7, 6, 3, 5}}};

double cell_count(double length, double element_size) {
  return std::max(1.0, std::round(length / element_size));
}

}  // namespace

Result<TetMesh> box_tets(const Vec3& half_extents, double element_size, std::int64_t most_tets) {
  assert(half_extents.minCoeff() > 0 && element_size > 0);
  const Vec3 cells =
      (2 * half_extents).unaryExpr([&](double length) { return cell_count(length, element_size); });
  if (!(five_tets.size() * cells.prod() <= static_cast<double>(most_tets))) {
    return Error{ErrorCode::invalid_mesh,
                 fmt::format("elements of {:.3g} m make {:.3g} tetrahedra; at most {} are allowed",
                             element_size, five_tets.size() * cells.prod(), most_tets)};
  }
  const std::array<std::int32_t, 3> n{static_cast<std::int32_t>(cells[0]),
                                      static_cast<std::int32_t>(cells[1]),
                                      static_cast<std::int32_t>(cells[2])};
  TetMesh mesh;
  for (std::int32_t k = 0; k <= n[2]; ++k) {
    for (std::int32_t j = 0; j <= n[1]; ++j) {
      for (std::int32_t i = 0; i <= n[0]; ++i) {
        mesh.vertices.emplace_back(
            half_extents.cwiseProduct(2 * Vec3(i, j, k).cwiseQuotient(cells) - Vec3::Ones()));
      }
    }
  }
  for (std::int32_t k = 0; k < n[2]; ++k) {
    for (std::int32_t j = 0; j < n[1]; ++j) {
      for (std::int32_t i = 0; i < n[0]; ++i) {
        const bool is_mirrored = (i + j + k) % 2 != 0;  // along x
        const auto corner = [&](std::size_t bits) {
          const auto x =
              static_cast<std::int32_t>(bits & 1U) ^ static_cast<std::int32_t>(is_mirrored);
          const auto y = static_cast<std::int32_t>(bits >> 1U & 1U);
          const auto z = static_cast<std::int32_t>(bits >> 2U);
          return i + x + (n[0] + 1) * (j + y + (n[1] + 1) * (k + z));
        };
        for (const auto& tet : five_tets) {
          TetIndices corners{corner(tet[0]), corner(tet[1]), corner(tet[2]), corner(tet[3])};
          if (is_mirrored) std::swap(corners[0], corners[1]);
          mesh.tets.push_back(corners);
        }
      }
    }
  }
  return mesh;
}

}  // namespace sluice::geometry
