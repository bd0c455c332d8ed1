// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sluice/connection.h"
#include "sluice/v1/scene.pb.h"
#include "sluice/v1/scenes.pb.h"

namespace sluice::client {

/// A scene as its author wrote it.
struct SceneFile {
  std::string name;                 ///< The file's name without its extension.
  std::filesystem::path directory;  ///< Where the meshes' names start from.
  std::string json;                 ///< As JSON; line numbers are those of the file.
};

/// Reads a scene: `.json` (comments and trailing commas allowed), `.textproto`/`.txtpb`, or binary
/// `.binpb`/`.pb`. Does not judge JSON: that is the server's part. Throws `not_found` for a file
/// that cannot be read, `invalid_argument` for text or binary protobuf that cannot be parsed and
/// for text that is not UTF-8. A byte order mark is skipped.
SceneFile read_scene_file(const std::filesystem::path& path);

/// A scene on its way to the server.
struct UploadedScene {
  std::string json;                        ///< The scene, its meshes as `assets/{sha256}`.
  std::vector<v1::SceneProblem> problems;  ///< Meshes that could not be read, by field.
  std::vector<std::string> mesh_fields;    ///< The fields in which `json` still has files' names.
};

/// Uploads the meshes that `scene` names by file, and names them by content instead. JSON that
/// cannot be parsed, or has a field twice, is passed on as it is, for the server to say what is
/// wrong.
UploadedScene upload_meshes(const Connection& connection, const SceneFile& scene);

/// What `validate_scene` found.
struct CheckedScene {
  v1::Scene scene;                   ///< Ready for `create_session`; meaningful when `valid`.
  v1::ValidateSceneResponse report;  ///< All problems, those of the meshes' files included.
  bool valid;                        ///< No problem is an error.
};

/// Uploads the meshes of a scene and has the server check all of it.
CheckedScene check_scene(const Connection& connection, const SceneFile& scene);

/// Parses a scene as JSON. Throws `invalid_argument`, with the first thing that is wrong.
v1::Scene parse_scene(const std::string& json);

/// Blanks comments and trailing commas, so that what remains is plain JSON with every line and
/// column where it was.
std::string to_plain_json(std::string text);

}  // namespace sluice::client
