// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/mesh_edges.h"

#include <algorithm>

namespace sluice::geometry {

std::vector<EdgeIndices> mesh_edges(std::span<const TriangleIndices> triangles) {
  std::vector<EdgeIndices> edges;
  edges.reserve(3 * triangles.size());
  for (const auto& [a, b, c] : triangles) {
    edges.push_back({std::min(a, b), std::max(a, b)});
    edges.push_back({std::min(b, c), std::max(b, c)});
    edges.push_back({std::min(c, a), std::max(c, a)});
  }
  std::ranges::sort(edges);
  const auto repeated = std::ranges::unique(edges);
  edges.erase(repeated.begin(), repeated.end());
  return edges;
}

}  // namespace sluice::geometry
