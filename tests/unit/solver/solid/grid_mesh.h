// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/geometry/triangle_mesh.h"

namespace sluice::solid {

/// nx x ny vertices in the x-y plane, `spacing` apart, x fastest; squares cut along the same
/// diagonal.
inline geometry::TriangleMesh grid_mesh(int nx, int ny, double spacing) {
  geometry::TriangleMesh mesh;
  for (int j = 0; j < ny; ++j) {
    for (int i = 0; i < nx; ++i)
      mesh.vertices.emplace_back(i * spacing, j * spacing, 0);
  }
  for (int j = 0; j + 1 < ny; ++j) {
    for (int i = 0; i + 1 < nx; ++i) {
      const int a = j * nx + i, b = a + 1, c = a + nx, d = c + 1;
      mesh.triangles.push_back({a, b, d});
      mesh.triangles.push_back({a, d, c});
    }
  }
  return mesh;
}

}  // namespace sluice::solid
