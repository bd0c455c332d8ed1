// SPDX-License-Identifier: Apache-2.0
#include "server/convert/scene_text.h"

#include <fmt/format.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/unknown_field_set.h>
#include <google/protobuf/util/json_util.h>

#include <cassert>

#include "server/convert/field_path.h"
#include "server/convert/json_message.h"
#include "server/convert/json_reader.h"
#include "server/convert/scene_load.h"

namespace sluice::convert {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// Keeps text format's errors, and gives unknown fields the suggestion that JSON has.
class TextErrors : public google::protobuf::io::ErrorCollector {
 public:
  explicit TextErrors(std::vector<scene::Problem>& problems) : problems_(problems) {}

  void AddError(int line, int column, const std::string& message) override {
    if (problems_.size() >= scene::most_problems) return;
    problems_.push_back({"",
                         fmt::format("line {}, column {}: {}{}", line + 1, column + 1, message,
                                     suggestion(message)),
                         scene::Severity::error});
  }
  void AddWarning(int /*line*/, int /*column*/, const std::string& /*message*/) override {}

 private:
  // protobuf says: Message type "sluice.v1.Cloth" has no field named "area_densty".
  static std::string suggestion(const std::string& message) {
    std::vector<std::string> quoted;
    for (std::size_t at = message.find('"'); at != std::string::npos; at = message.find('"', at)) {
      const std::size_t end = message.find('"', at + 1);
      if (end == std::string::npos) break;
      quoted.push_back(message.substr(at + 1, end - at - 1));
      at = end + 1;
    }
    if (quoted.size() != 2 || message.find("has no field named") == std::string::npos) return "";
    const Descriptor* type =
        v1::Scene::descriptor()->file()->pool()->FindMessageTypeByName(quoted[0]);
    return type == nullptr ? "" : fmt::format(" {}", unknown_field_message(*type, quoted[1]));
  }

  std::vector<scene::Problem>& problems_;
};

}  // namespace

void parse_scene_json(std::string_view text, v1::Scene& scene,
                      std::vector<scene::Problem>& problems) {
  const JsonText json = read_json(text);
  if (json.error) {
    problems.push_back({"",
                        fmt::format("line {}, column {}: {}", json.error->line, json.error->column,
                                    json.error->message),
                        scene::Severity::error});
    return;
  }
  read_message(json.value, "", scene, problems);
}

void parse_scene_textproto(std::string_view text, v1::Scene& scene,
                           std::vector<scene::Problem>& problems) {
  TextErrors errors(problems);
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  parser.SetRecursionLimit(static_cast<int>(json_depth_limit));
  google::protobuf::io::ArrayInputStream input(text.data(), static_cast<int>(text.size()));
  if (!parser.Parse(&input, &scene)) scene.Clear();
}

void parse_scene_binary(std::string_view bytes, v1::Scene& scene,
                        std::vector<scene::Problem>& problems) {
  if (!scene.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    scene.Clear();
    problems.push_back({"", "these bytes are no sluice.v1.Scene in protobuf's binary format",
                        scene::Severity::error});
  }
}

void find_unknown_fields(const Message& message, const std::string& path,
                         std::vector<scene::Problem>& problems) {
  const google::protobuf::Reflection& access = *message.GetReflection();
  const google::protobuf::UnknownFieldSet& unknown = access.GetUnknownFields(message);
  if (!unknown.empty() && problems.size() < scene::most_problems) {
    problems.push_back({path,
                        fmt::format("unknown field number {} of {}: the scene was made for another "
                                    "version of Sluice",
                                    unknown.field(0).number(), message.GetDescriptor()->name()),
                        scene::Severity::error});
  }
  std::vector<const FieldDescriptor*> fields;
  access.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    const std::string field_path = child_path(path, field->name());
    if (!field->is_repeated()) {
      find_unknown_fields(access.GetMessage(message, field), field_path, problems);
      continue;
    }
    for (int i = 0; i < access.FieldSize(message, field); ++i) {
      find_unknown_fields(access.GetRepeatedMessage(message, field, i),
                          element_path(field_path, static_cast<std::size_t>(i)), problems);
    }
  }
}

SceneFormat scene_format_of(std::string_view file_name) {
  for (const std::string_view ending : {".txtpb", ".textproto", ".pbtxt"}) {
    if (file_name.ends_with(ending)) return SceneFormat::text;
  }
  for (const std::string_view ending : {".binpb", ".pb"}) {
    if (file_name.ends_with(ending)) return SceneFormat::binary;
  }
  return SceneFormat::json;
}

ParsedScene parse_scene(std::string_view bytes, SceneFormat format) {
  ParsedScene answer;
  if (bytes.size() > max_scene_bytes) {
    answer.problems.push_back({"",
                               fmt::format("the scene has {} bytes; at most {} are read: put large "
                                           "meshes into files of their own",
                                           bytes.size(), max_scene_bytes),
                               scene::Severity::error});
    return answer;
  }
  switch (format) {
    case SceneFormat::json:
      parse_scene_json(bytes, answer.scene, answer.problems);
      break;
    case SceneFormat::text:
      parse_scene_textproto(bytes, answer.scene, answer.problems);
      break;
    case SceneFormat::binary:
      parse_scene_binary(bytes, answer.scene, answer.problems);
      break;
  }
  return answer;
}

std::string scene_to_json(const v1::Scene& scene) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.preserve_proto_field_names = true;
  std::string json;
  // Fails for unknown `Any` types alone, which a scene has not.
  const auto status = google::protobuf::util::MessageToJsonString(scene, &json, options);
  assert(status.ok());
  static_cast<void>(status);
  return json;
}

}  // namespace sluice::convert
