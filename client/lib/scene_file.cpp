// SPDX-License-Identifier: Apache-2.0
#include "sluice/scene_file.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <utility>

#include "sluice/asset.h"
#include "sluice/error.h"
#include "sluice/server.h"
#include "sluice/v1/annotations.pb.h"

namespace sluice::client {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
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

/// Uploads the files that a scene names, and puts assets in their places.
class MeshUpload {
 public:
  MeshUpload(const Connection& connection, std::filesystem::path directory)
      : connection_(connection), directory_(std::move(directory)) {}

  /// Walks over an object that stands for a message of `type`. The fields' marks
  /// (annotations.proto) say which ones name an asset, in whatever messages they are. Values that
  /// are no such object, and keys that are no field, are left for the server to complain of.
  void walk(ordered_json& object, const Descriptor& type, const std::string& path) {
    if (!object.is_object()) {
      return;
    }
    for (auto& [key, value] : object.items()) {
      const FieldDescriptor* field = find_field(type, key);
      if (field == nullptr) {
        continue;
      }
      const std::string field_path = path.empty() ? field->name() : path + "." + field->name();
      if (!field->is_repeated()) {
        visit(value, *field, field_path);
      } else if (value.is_array()) {
        for (std::size_t i = 0; i < value.size(); ++i) {
          visit(value[i], *field, field_path + "[" + std::to_string(i) + "]");
        }
      }
    }
  }

  std::vector<v1::SceneProblem> take_problems() { return std::move(problems_); }
  std::vector<std::string> take_fields() { return std::move(fields_); }

 private:
  /// By either of the names that JSON may have for it: `soft_bodies`, `softBodies`.
  static const FieldDescriptor* find_field(const Descriptor& type, const std::string& key) {
    for (int i = 0; i < type.field_count(); ++i) {
      if (type.field(i)->name() == key || type.field(i)->json_name() == key) {
        return type.field(i);
      }
    }
    return nullptr;
  }

  void visit(ordered_json& value, const FieldDescriptor& field, const std::string& path) {
    if (field.options().GetExtension(v1::names_asset)) {
      if (value.is_string()) {
        upload(value, path);
      }
    } else if (field.message_type() != nullptr) {
      walk(value, *field.message_type(), path);
    }
  }

  void upload(ordered_json& value, const std::string& path) {
    const auto name = value.get<std::string>();
    if (name.empty() || name.starts_with("assets/")) {
      return;
    }
    fields_.push_back(path);
    try {
      const std::string file = (directory_ / name).lexically_normal().string();
      if (!assets_.contains(file)) {
        assets_[file] = upload_asset(connection_, file);
      }
      value = assets_[file];
    } catch (const Error& error) {
      const bool about_the_file =
          error.kind() == ErrorKind::not_found || error.kind() == ErrorKind::invalid_argument;
      if (!about_the_file) {
        throw;
      }
      problems_.push_back(make_error(path, error.what()));
    }
  }

  const Connection& connection_;
  std::filesystem::path directory_;
  std::map<std::string, std::string> assets_;  ///< By file.
  std::vector<v1::SceneProblem> problems_;
  std::vector<std::string> fields_;
};

/// Whether an object of the text has a name twice: a document would keep one of the values in
/// silence.
bool has_field_twice(const std::string& json) {
  std::vector<std::set<std::string>> open;
  bool is_twice = false;
  const ordered_json::parser_callback_t look = [&](int, ordered_json::parse_event_t event,
                                                   ordered_json& value) {
    if (event == ordered_json::parse_event_t::object_start) {
      open.emplace_back();
    } else if (event == ordered_json::parse_event_t::object_end) {
      open.pop_back();
    } else if (event == ordered_json::parse_event_t::key) {
      is_twice = !open.back().insert(value.get<std::string>()).second || is_twice;
    }
    return true;
  };
  return !ordered_json::parse(json, look, false).is_discarded() && is_twice;
}

/// Throws where a text is not UTF-8, by the name of what it is where that can be told.
void require_utf8(const std::string& text, const std::string& path) {
  const auto starts_with = [&](std::string_view bytes) { return text.starts_with(bytes); };
  const auto is_zero = [&](std::size_t i) { return i < text.size() && text[i] == '\0'; };
  const bool has_mark = starts_with("\xFF\xFE") || starts_with("\xFE\xFF");
  const bool has_zeros = text.size() >= 4 && is_zero(0) == is_zero(2) && is_zero(1) == is_zero(3) &&
                         is_zero(0) != is_zero(1);
  if (has_mark || has_zeros) {
    throw Error(ErrorKind::invalid_argument, "'" + path + "' is UTF-16; save it as UTF-8");
  }
  try {
    (void)ordered_json(text).dump();  // Checks it, as protobuf would, which says less.
  } catch (const ordered_json::exception&) {
    throw Error(ErrorKind::invalid_argument, "'" + path + "' is not UTF-8; save it as UTF-8");
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
  if (extension != ".binpb" && extension != ".pb") {
    require_utf8(scene.json, path.string());
    if (scene.json.starts_with("\xEF\xBB\xBF")) {
      scene.json.erase(0, 3);
    }
  }
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
  UploadedScene uploaded{scene.json, {}, {}};
  ordered_json document = ordered_json::parse(scene.json, nullptr, false);
  if (!document.is_object()) {
    return uploaded;
  }
  if (!document.contains("name")) {
    document["name"] = scene.name;
  }
  MeshUpload upload(connection, scene.directory);
  upload.walk(document, *v1::Scene::descriptor(), "");
  uploaded.problems = upload.take_problems();
  if (has_field_twice(scene.json)) {
    uploaded.mesh_fields = upload.take_fields();
    return uploaded;
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
  for (int i = found.size() - 1; i >= 0; --i) {
    if (std::ranges::find(uploaded.mesh_fields, found[i].field()) != uploaded.mesh_fields.end()) {
      found.DeleteSubrange(i, 1);
    }
  }
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
