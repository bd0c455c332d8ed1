// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "solver/types.h"

namespace sluice::geometry {

/// The edges of triangles, each once, its smaller index first; ordered by first, then second index.
[[nodiscard]] std::vector<EdgeIndices> mesh_edges(std::span<const TriangleIndices> triangles);

}  // namespace sluice::geometry
