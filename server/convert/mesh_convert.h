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

/// Reads the surface in the file that `name` names. Where that fails the answer is empty, and a
/// problem at `path` says why; `alternative` is the other field that the body could have.
[[nodiscard]] geometry::TriangleMesh read_surface(const std::string& name, const std::string& path,
                                                  const char* alternative,
                                                  const AssetResolver& assets, BodyBudget& budget,
                                                  ProblemSink& problems);

/// What a file holds for a soft body: nothing that can be used, a volume, or a surface to fill.
using SoftBodyMesh = std::variant<std::monostate, geometry::TetMesh, geometry::TriangleMesh>;

/// Reads the volume, or the surface that is to be filled, in the file that `name` names; only a
/// volume takes from the budget. Otherwise as `read_surface`.
[[nodiscard]] SoftBodyMesh read_volume_or_surface(const std::string& name, const std::string& path,
                                                  const AssetResolver& assets, BodyBudget& budget,
                                                  ProblemSink& problems);

}  // namespace sluice::convert
