// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "solver/geometry/tet_mesh.h"

namespace sluice::geometry {

/// A unit cube cut n times a side, each cell into the six tetrahedra around its diagonal (Kuhn).
/// Vertex (i, j, k) has the index i + (n + 1) (j + (n + 1) k).
inline TetMesh make_tet_cube(std::int32_t n) {
  TetMesh mesh;
  const auto index = [n](std::int32_t i, std::int32_t j, std::int32_t k) {
    return i + (n + 1) * (j + (n + 1) * k);
  };
  for (std::int32_t k = 0; k <= n; ++k) {
    for (std::int32_t j = 0; j <= n; ++j) {
      for (std::int32_t i = 0; i <= n; ++i)
        mesh.vertices.push_back(Vec3(i, j, k) / n);
    }
  }
  // From corner 000 to 111 along the three axes in each of their orders.
  constexpr std::array<std::array<std::size_t, 3>, 6> orders{
      {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {1, 0, 2}, {2, 1, 0}}};
  for (std::int32_t cell = 0; cell < n * n * n; ++cell) {
    for (std::size_t o = 0; o < orders.size(); ++o) {
      std::array<std::int32_t, 3> at{cell % n, cell / n % n, cell / (n * n)};
      TetIndices tet{index(at[0], at[1], at[2])};
      for (std::size_t step = 0; step < 3; ++step) {
        ++at[orders[o][step]];
        tet[step + 1] = index(at[0], at[1], at[2]);
      }
      if (o >= 3) std::swap(tet[1], tet[2]);  // Odd orders turn the other way.
      mesh.tets.push_back(tet);
    }
  }
  return mesh;
}

}  // namespace sluice::geometry
