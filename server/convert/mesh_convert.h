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

/// The size of a mesh: what it takes from the budget.
struct MeshSize {
  std::int64_t vertex_count, triangle_count, tetrahedron_count;
};

/// Takes `size` from `budget`. Returns false, with an error at `path`, if the mesh is too large for
/// it; then nothing is taken.
bool take_mesh(const MeshSize& size, const std::string& path, BodyBudget& budget,
               ProblemSink& problems);

/// A request to read a body's mesh from a file.
struct MeshOrder {
  std::string name;              ///< Name of the file.
  std::string path;              ///< Path of the field that names the file.
  const char* alternative = "";  ///< The field that the body could have instead of `mesh`.
  double weld_distance = 0;      ///< [the file's unit]
};

/// Makes the order for the body at `path`, whose mesh is scaled by `scale` from the file to its
/// place. An error if its `weld_distance` is not in the documented range.
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

/// Adds an error if the body, whose geometry comes from no file, has a `weld_distance`.
template <typename Body>
void refuse_weld_distance(const Body& body, const std::string& path, ProblemSink& problems) {
  if (!body.has_weld_distance()) return;
  problems.error(child_path(path, "weld_distance"),
                 "has no use: the body has no `mesh` from a file");
}

/// Reads the surface in the file and makes it fit for a body: joins seams (weld.h) and takes out
/// slivers and unused vertices. Each change is told as a warning. After an error the answer is
/// empty.
[[nodiscard]] geometry::TriangleMesh read_surface(const MeshOrder& order,
                                                  const AssetResolver& assets, BodyBudget& budget,
                                                  ProblemSink& problems);

/// The mesh in a soft body's file: nothing (after an error), a volume, or a surface to fill.
using SoftBodyMesh = std::variant<std::monostate, geometry::TetMesh, geometry::TriangleMesh>;

/// Reads the volume, or the surface to be filled, in the file; seams and errors are treated as by
/// `read_surface`. Only a volume takes from the budget.
[[nodiscard]] SoftBodyMesh read_volume_or_surface(const MeshOrder& order,
                                                  const AssetResolver& assets, BodyBudget& budget,
                                                  ProblemSink& problems);

}  // namespace sluice::convert
