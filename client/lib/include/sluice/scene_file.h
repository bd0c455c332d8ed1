// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sluice/connection.h"
#include "sluice/v1/scene.pb.h"
#include "sluice/v1/scenes.pb.h"

namespace sluice::client {

/// A scene as it stands in its file.
struct SceneFile {
  std::string name;                 ///< The file's name without its extension.
  std::filesystem::path directory;  ///< The folder to which the meshes' file names are relative.
  std::string json;                 ///< The scene as JSON; a JSON file keeps its line numbers.
};

/// Reads a scene: `.json` (comments and trailing commas allowed), `.textproto`/`.txtpb`, or binary
/// `.binpb`/`.pb`. Does not check JSON, which the server does. Throws `not_found` for a file that
/// cannot be read, `invalid_argument` for text or binary protobuf that cannot be parsed and for
/// text that is not UTF-8. A byte order mark is skipped.
SceneFile read_scene_file(const std::filesystem::path& path);

/// A scene whose meshes were uploaded to the server.
struct UploadedScene {
  std::string json;                        ///< The scene, with its meshes as `assets/{sha256}`.
  std::vector<v1::SceneProblem> problems;  ///< A problem for each mesh that could not be read.
  std::vector<std::string> mesh_fields;    ///< The fields in which `json` still has file names.
};

/// Uploads the mesh files that `scene` names, and replaces their names by the assets' names. JSON
/// that cannot be parsed, or has a field twice, is passed on as it is, so that the server tells
/// what is wrong.
UploadedScene upload_meshes(const Connection& connection, const SceneFile& scene);

/// The result of `check_scene`.
struct CheckedScene {
  v1::Scene scene;                   ///< Ready for `create_session`; meaningful only if `valid`.
  v1::ValidateSceneResponse report;  ///< All problems, those of the mesh files included.
  bool valid;                        ///< Whether no problem is an error.
};

/// Uploads the meshes of a scene and has the server check all of it.
CheckedScene check_scene(const Connection& connection, const SceneFile& scene);

/// Parses a scene in JSON. Throws `invalid_argument`, which tells the first error.
v1::Scene parse_scene(const std::string& json);

/// Replaces comments and trailing commas by blanks, which gives plain JSON with every line and
/// column where it was.
std::string to_plain_json(std::string text);

}  // namespace sluice::client
