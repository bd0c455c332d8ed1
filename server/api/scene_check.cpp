// SPDX-License-Identifier: Apache-2.0
#include "server/api/scene_check.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "server/convert/scene_load.h"
#include "server/session/assignment.h"
#include "server/store/asset_store.h"

namespace sluice::api {
namespace {

// Finds meshes in the server's folder of assets.
class Assets {
 public:
  static store::Result<std::unique_ptr<Assets>> open(const v1::SceneCheckRequest& request) {
    store::AssetStore::Options options;
    options.max_asset_bytes = static_cast<std::uint64_t>(request.asset_bytes());
    auto files = store::AssetStore::open(request.assets_path(), options);
    if (!files) {
      return files.error();
    }
    return std::unique_ptr<Assets>(new Assets(std::move(files).value()));
  }

  /// [bytes]; 0 for one that is not there.
  [[nodiscard]] std::uint64_t size_of(std::string_view name) const {
    const auto hash = session::asset_hash_of(name);
    const auto size = hash ? files_->size_of(*hash) : store::Result<std::uint64_t>(0);
    return size ? *size : 0;
  }

  Result<convert::AssetFile> find(std::string_view name) {
    const auto missing = [&](std::string_view why) {
      return Error{ErrorCode::invalid_mesh, fmt::format("'{}' {}", name, why)};
    };
    const auto hash = session::asset_hash_of(name);
    if (!hash) {
      return missing("is not an asset; upload the file and name it as assets/{sha256}");
    }
    const auto record = files_->read_note(*hash);
    auto bytes = files_->read(*hash);
    if (!bytes && bytes.error().code == store::ErrorCode::corrupt) {
      return missing("is damaged in the server's store; upload it again");
    }
    if (!record || !bytes) {
      return missing("is not there; upload it first");
    }
    const store::ByteView view = bytes.value().view();
    return convert::AssetFile{record->file_name,
                              std::string(reinterpret_cast<const char*>(view.data()), view.size())};
  }

 private:
  explicit Assets(std::unique_ptr<store::AssetStore> files) : files_(std::move(files)) {}
  std::unique_ptr<store::AssetStore> files_;
};

scene::Limits limits_of(const v1::SceneCheckRequest& request) {
  scene::Limits limits;
  limits.particle_count = request.particle_count();
  limits.vertex_count = request.vertex_count();
  // A closed surface has twice as many triangles as vertices.
  limits.triangle_count = 2 * request.vertex_count();
  // A volume has five to six tetrahedra a vertex.
  limits.tetrahedron_count = 6 * request.vertex_count();
  limits.frame_count = request.frame_count();
  return limits;
}

// Each body reads its file anew, so what counts is the sum over the bodies. No format has less than
// a tenth of this a vertex: a scene that comes to more has more vertices than it may have.
constexpr std::uint64_t mesh_bytes_a_vertex = 256;

// The first body whose mesh goes beyond what all may have, as the path of its field; or nothing.
std::string mesh_beyond_bounds(const v1::Scene& scene, std::uint64_t most, const Assets& assets) {
  std::uint64_t bytes = 0;
  std::string found;
  const auto add = [&](const auto& bodies, std::string_view kind) {
    for (int i = 0; i < bodies.size() && found.empty(); ++i) {
      bytes += bodies[i].mesh().empty() ? 0 : assets.size_of(bodies[i].mesh());
      if (bytes > most) {
        found = fmt::format("{}[{}].mesh", kind, i);
      }
    }
  };
  add(scene.cloths(), "cloths");
  add(scene.soft_bodies(), "soft_bodies");
  add(scene.rigid_bodies(), "rigid_bodies");
  return found;
}

void tell(const scene::Problem& problem, v1::SceneCheckResponse& response) {
  v1::SceneProblem& entry = *response.add_problems();
  entry.set_field(problem.path);
  entry.set_message(problem.message);
  entry.set_severity(problem.severity == scene::Severity::error
                         ? v1::SceneProblem::SEVERITY_ERROR
                         : v1::SceneProblem::SEVERITY_WARNING);
}

}  // namespace

v1::SceneCheckResponse check_scene(const v1::SceneCheckRequest& request) {
  v1::SceneCheckResponse response;
  const auto assets = Assets::open(request);
  if (!assets) {
    tell({"", assets.error().message, scene::Severity::error}, response);
    return response;
  }
  convert::ParsedScene parsed;
  if (request.has_json()) {
    parsed = convert::parse_scene(request.json());
  } else {
    parsed.scene = request.scene();
  }
  const std::uint64_t most_mesh_bytes =
      mesh_bytes_a_vertex * static_cast<std::uint64_t>(request.vertex_count());
  if (std::string path = mesh_beyond_bounds(parsed.scene, most_mesh_bytes, **assets);
      !path.empty()) {
    tell({std::move(path),
          fmt::format("the mesh files of all bodies up to this one, counted for each that names "
                      "one, have more than {} bytes: that is more than {} vertices",
                      most_mesh_bytes, request.vertex_count()),
          scene::Severity::error},
         response);
    return response;
  }
  const convert::LoadedScene loaded = convert::load_scene(
      parsed.scene, [&](std::string_view name) { return (*assets)->find(name); },
      limits_of(request), std::move(parsed.problems));
  for (const scene::Problem& problem : loaded.problems) {
    tell(problem, response);
  }
  for (const scene::Choice& choice : loaded.choices) {
    v1::SceneChoice& told = *response.add_choices();
    told.set_field(choice.path);
    told.set_value(choice.value);
    told.set_reason(choice.reason);
  }
  response.set_particle_count(loaded.particle_count);
  response.set_vertex_count(loaded.vertex_count);
  response.set_cell_count(loaded.cell_count);
  response.set_frame_bytes(loaded.frame_bytes);
  return response;
}

}  // namespace sluice::api
