// SPDX-License-Identifier: Apache-2.0
#include "server/api/scene_check.h"

#include <fmt/format.h>

#include "server/session/assignment.h"

namespace sluice::api {

convert::LoadedScene check_scene(const v1::Scene& scene, session::Environment& environment,
                                 std::vector<scene::Problem> parse_problems) {
  const session::Limits& limits = environment.settings.limits;
  scene::Limits solver_limits;
  solver_limits.particle_count = limits.particles_per_scene;
  solver_limits.vertex_count = limits.vertices_per_scene;
  // A closed surface has twice as many triangles as vertices.
  solver_limits.triangle_count = 2 * limits.vertices_per_scene;
  // A volume has five to six tetrahedra a vertex.
  solver_limits.tetrahedron_count = 6 * limits.vertices_per_scene;
  solver_limits.frame_count = limits.frames_per_session - 1;
  const convert::AssetResolver resolve =
      [&environment](std::string_view name) -> Result<convert::AssetFile> {
    const auto missing = [&](std::string_view why) {
      return Error{ErrorCode::invalid_mesh, fmt::format("'{}' {}", name, why)};
    };
    const auto hash = session::asset_hash_of(name);
    if (!hash) {
      return missing("is not an asset; upload the file and name it as assets/{sha256}");
    }
    const auto row = environment.database.get_asset(*hash);
    auto bytes = environment.assets.read(*hash);
    if (!bytes && bytes.error().code == store::ErrorCode::corrupt) {
      return missing("is damaged in the server's store; upload it again");
    }
    if (!row || !bytes) {
      return missing("is not there; upload it first");
    }
    const store::ByteView view = bytes.value().view();
    return convert::AssetFile{row.value().file_name,
                              std::string(reinterpret_cast<const char*>(view.data()), view.size())};
  };
  return convert::load_scene(scene, resolve, solver_limits, std::move(parse_problems));
}

}  // namespace sluice::api
