// SPDX-License-Identifier: Apache-2.0
#include "client/cli/message_json.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/util/json_util.h>

#include <string>

#include "client/cli/command_error.h"

namespace sluice::cli {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using nlohmann::ordered_json;

void make_numbers(ordered_json& json, const Descriptor& type);

void make_number(ordered_json& json, const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT64:
      json = std::stoll(json.get<std::string>());
      break;
    case FieldDescriptor::CPPTYPE_UINT64:
      json = std::stoull(json.get<std::string>());
      break;
    case FieldDescriptor::CPPTYPE_MESSAGE:
      make_numbers(json, *field.message_type());
      break;
    default:
      break;
  }
}

void make_numbers(ordered_json& json, const Descriptor& type) {
  if (!json.is_object()) {
    return;  // A type with a form of its own, as a timestamp.
  }
  for (auto& [name, value] : json.items()) {
    const FieldDescriptor* field = type.FindFieldByName(name);
    if (field == nullptr || value.is_null()) {
      continue;
    }
    if (field->is_repeated()) {
      for (ordered_json& element : value) {
        make_number(element, *field);
      }
    } else {
      make_number(value, *field);
    }
  }
}

}  // namespace

ordered_json to_json(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  options.always_print_primitive_fields = true;
  std::string text;
  const auto status = google::protobuf::util::MessageToJsonString(message, &text, options);
  if (!status.ok()) {
    throw CommandError(ExitCode::failed,
                       "cannot write the answer as JSON: " + std::string(status.message()));
  }
  ordered_json json = ordered_json::parse(text);
  make_numbers(json, *message.GetDescriptor());
  return json;
}

}  // namespace sluice::cli
