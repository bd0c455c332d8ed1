// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/unused_vertices.h"

#include <cstdint>
#include <vector>

namespace sluice::geometry {
namespace {

template <typename Cell>
void leave_out(std::vector<Vec3>& vertices, std::vector<Cell>& cells) {
  std::vector<std::int32_t> kept(vertices.size(), -1);
  for (const Cell& cell : cells) {
    for (const std::int32_t corner : cell)
      kept[static_cast<std::size_t>(corner)] = 0;
  }
  std::vector<Vec3> used;
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    if (kept[v] < 0) continue;
    kept[v] = static_cast<std::int32_t>(used.size());
    used.push_back(vertices[v]);
  }
  for (Cell& cell : cells) {
    for (std::int32_t& corner : cell)
      corner = kept[static_cast<std::size_t>(corner)];
  }
  vertices = std::move(used);
}

}  // namespace

void leave_out_unused(TriangleMesh& mesh) { leave_out(mesh.vertices, mesh.triangles); }
void leave_out_unused(TetMesh& mesh) { leave_out(mesh.vertices, mesh.tets); }

}  // namespace sluice::geometry
