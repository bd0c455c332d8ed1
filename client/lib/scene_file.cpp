// SPDX-License-Identifier: Apache-2.0
#include "sluice/scene_file.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/json_util.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sluice/asset.h"
#include "sluice/error.h"
#include "sluice/server.h"

namespace sluice::client {
namespace {

using nlohmann::ordered_json;

std::string to_json(const v1::Scene& scene) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  std::string json;
  const auto status = google::protobuf::util::MessageToJsonString(scene, &json, options);
  if (!status.ok()) {
    throw Error(ErrorKind::invalid_argument, std::string(status.message()));
  }
  return json;
}

/// Collects what the text format complains of.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (text.empty()) {
      text = "line " + std::to_string(line + 1) + ", column " + std::to_string(column + 1) + ": " +
             message;
    }
  }
  std::string text;
};

std::string text_format_to_json(const std::string& text, const std::string& path) {
  v1::Scene scene;
  FirstError errors;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  if (!parser.ParseFromString(text, &scene)) {
    throw Error(ErrorKind::invalid_argument, path + ": " + errors.text);
  }
  return to_json(scene);
}

v1::SceneProblem make_error(const std::string& field, const std::string& message) {
  v1::SceneProblem problem;
  problem.set_field(field);
  problem.set_message(message);
  problem.set_severity(v1::SceneProblem::SEVERITY_ERROR);
  return problem;
}

/// Uploads the file that `body.mesh` names, if it names one, and puts the asset in its place.
/// `names` are the assets of files that were uploaded before.
void upload_mesh(const Connection& connection, const std::filesystem::path& directory,
                 const std::string& path, ordered_json& body,
                 std::map<std::string, std::string>& names,
                 std::vector<v1::SceneProblem>& problems) {
  if (!body.is_object() || !body.contains("mesh") || !body["mesh"].is_string()) {
    return;
  }
  const auto mesh = body["mesh"].get<std::string>();
  if (mesh.empty() || mesh.starts_with("assets/")) {
    return;
  }
  try {
    const std::string file = (directory / mesh).lexically_normal().string();
    if (!names.contains(file)) {
      names[file] = upload_asset(connection, file);
    }
    body["mesh"] = names[file];
  } catch (const Error& error) {
    const bool about_the_file =
        error.kind() == ErrorKind::not_found || error.kind() == ErrorKind::invalid_argument;
    if (!about_the_file) {
      throw;
    }
    problems.push_back(make_error(path, error.what()));
  }
}

}  // namespace

SceneFile read_scene_file(const std::filesystem::path& path) {
  std::error_code failure;
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path, failure)) {
    throw Error(ErrorKind::not_found, "cannot read '" + path.string() + "'");
  }
  std::ostringstream content;
  content << file.rdbuf();
  SceneFile scene{path.stem().string(), path.parent_path(), std::move(content).str()};
  const std::string extension = path.extension().string();
  if (extension == ".textproto" || extension == ".txtpb") {
    scene.json = text_format_to_json(scene.json, path.string());
  } else if (extension == ".binpb" || extension == ".pb") {
    v1::Scene message;
    if (!message.ParseFromString(scene.json)) {
      throw Error(ErrorKind::invalid_argument,
                  "'" + path.string() + "' is not a binary sluice.v1.Scene");
    }
    // JSON has no place for them: what was asked for would be left out in silence.
    v1::Scene known = message;
    known.DiscardUnknownFields();
    if (known.ByteSizeLong() != message.ByteSizeLong()) {
      throw Error(ErrorKind::invalid_argument,
                  "'" + path.string() + "' has fields that this version of Sluice does not know");
    }
    scene.json = to_json(message);
  } else {
    scene.json = to_plain_json(std::move(scene.json));
  }
  return scene;
}

UploadedScene upload_meshes(const Connection& connection, const SceneFile& scene) {
  UploadedScene uploaded{scene.json, {}};
  ordered_json document = ordered_json::parse(scene.json, nullptr, false);
  if (!document.is_object()) {
    return uploaded;
  }
  if (!document.contains("name")) {
    document["name"] = scene.name;
  }
  std::map<std::string, std::string> names;  // Of assets, by file.
  for (const char* kind : {"cloths", "soft_bodies", "rigid_bodies"}) {
    const auto bodies = document.find(kind);
    for (std::size_t i = 0; bodies != document.end() && bodies->is_array() && i < bodies->size();
         ++i) {
      const std::string path = std::string(kind) + "[" + std::to_string(i) + "].mesh";
      upload_mesh(connection, scene.directory, path, (*bodies)[i], names, uploaded.problems);
    }
  }
  uploaded.json = document.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  return uploaded;
}

v1::Scene parse_scene(const std::string& json) {
  v1::Scene scene;
  const auto status = google::protobuf::util::JsonStringToMessage(json, &scene);
  if (!status.ok()) {
    throw Error(ErrorKind::invalid_argument,
                "the scene is not valid: " + std::string(status.message()));
  }
  return scene;
}

CheckedScene check_scene(const Connection& connection, const SceneFile& scene) {
  UploadedScene uploaded = upload_meshes(connection, scene);
  CheckedScene checked;
  checked.report = validate_scene(connection, uploaded.json);
  // Where a file could not be read, the server has seen its name alone; ours is the better message.
  auto& found = *checked.report.mutable_problems();
  for (const v1::SceneProblem& problem : uploaded.problems) {
    for (int i = found.size() - 1; i >= 0; --i) {
      if (found[i].field() == problem.field()) {
        found.DeleteSubrange(i, 1);
      }
    }
    *found.Add() = problem;
  }
  checked.valid = true;
  for (const v1::SceneProblem& problem : found) {
    checked.valid = checked.valid && problem.severity() != v1::SceneProblem::SEVERITY_ERROR;
  }
  if (checked.valid) {
    checked.scene = parse_scene(uploaded.json);
  }
  return checked;
}

}  // namespace sluice::client
