// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "server/convert/body_budget.h"
#include "server/convert/problem_sink.h"
#include "server/convert/scene_load.h"
#include "solver/geometry/tet_mesh.h"
#include "solver/geometry/triangle_mesh.h"

namespace sluice::convert {

/// What a mesh takes from the budget.
struct MeshSize {
  std::int64_t vertex_count, triangle_count, tetrahedron_count;
};

/// Takes a mesh from what bodies may use, or says at `path` that it is too large; whether it took
/// it.
bool take_mesh(const MeshSize& size, const std::string& path, BodyBudget& budget,
               ProblemSink& problems);

/// A mesh that a body wants from a file.
struct MeshOrder {
  std::string name;              ///< Of the file.
  std::string path;              ///< Of the field that names it.
  const char* alternative = "";  ///< The other field that the body could have.
  double weld_distance = 0;      ///< [the file's unit]
};

/// The order of the body at `path`, which is scaled by `scale` on its way from the file to its
/// place. An error where its `weld_distance` is not in the documented range.
template <typename Body>
[[nodiscard]] MeshOrder order_mesh(const Body& body, const std::string& path,
                                   const char* alternative, double scale, ProblemSink& problems) {
  constexpr double farthest = 1;  // [m] as documented in scene.proto
  MeshOrder order{body.mesh(), child_path(path, "mesh"), alternative, 0};
  if (body.has_weld_distance() &&
      problems.in_range(body.weld_distance(), 0, farthest, child_path(path, "weld_distance"))) {
    order.weld_distance = body.weld_distance() / scale;
  }
  return order;
}

/// An error where a body without a file has a `weld_distance`.
template <typename Body>
void refuse_weld_distance(const Body& body, const std::string& path, ProblemSink& problems) {
  if (!body.has_weld_distance()) return;
  problems.error(child_path(path, "weld_distance"),
                 "has no use: the body has no `mesh` from a file");
}

/// Reads the surface in the file, fit for a body: seams joined (weld.h), slivers and vertices of no
/// triangle taken out. Where that fails the answer is empty, and a problem says why; what was
/// changed is a warning.
[[nodiscard]] geometry::TriangleMesh read_surface(const MeshOrder& order,
                                                  const AssetResolver& assets, BodyBudget& budget,
                                                  ProblemSink& problems);

/// What a file holds for a soft body: nothing that can be used, a volume, or a surface to fill.
using SoftBodyMesh = std::variant<std::monostate, geometry::TetMesh, geometry::TriangleMesh>;

/// Reads the volume, or the surface that is to be filled, in the file; only a volume takes from the
/// budget. Otherwise as `read_surface`.
[[nodiscard]] SoftBodyMesh read_volume_or_surface(const MeshOrder& order,
                                                  const AssetResolver& assets, BodyBudget& budget,
                                                  ProblemSink& problems);

}  // namespace sluice::convert
