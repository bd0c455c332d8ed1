// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "solver/types.h"

namespace sluice::geometry {

/// An indexed triangle surface; orientation and manifoldness are not implied.
struct TriangleMesh {
  std::vector<Vec3> vertices;              ///< [m]
  std::vector<TriangleIndices> triangles;  ///< Each index in [0, vertices.size()).
};

}  // namespace sluice::geometry
