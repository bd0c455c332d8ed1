// SPDX-License-Identifier: Apache-2.0
// The API stays readable for those who have an older one: clients, scenes, recorded sessions.
// tests/data/api/v1.txt has every field, value and call that was ever released, a line each; each
// must still be there as it was. What is new is added to the file by the release that brings it:
//
//   SLUICE_WRITE_API=tests/data/api/v1.txt build/release/tests/unit.proto.api_test
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <string>

#include "sluice/v1/assets.pb.h"
#include "sluice/v1/frames.pb.h"
#include "sluice/v1/scene.pb.h"
#include "sluice/v1/scenes.pb.h"
#include "sluice/v1/server.pb.h"
#include "sluice/v1/sessions.pb.h"

namespace sluice::v1 {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptor;
using google::protobuf::ServiceDescriptor;

void describe(const EnumDescriptor& values, std::set<std::string>& lines) {
  for (int i = 0; i < values.value_count(); ++i)
    lines.insert(values.full_name() + " " + values.value(i)->name() + " = " +
                 std::to_string(values.value(i)->number()));
}

std::string type_of(const FieldDescriptor& field) {
  if (field.message_type() != nullptr) return field.message_type()->full_name();
  if (field.enum_type() != nullptr) return field.enum_type()->full_name();
  return field.type_name();
}

void describe(const Descriptor& message, std::set<std::string>& lines) {
  for (int i = 0; i < message.field_count(); ++i) {
    const FieldDescriptor& field = *message.field(i);
    const auto* const choice = field.real_containing_oneof();
    lines.insert(message.full_name() + "." + field.name() + " = " + std::to_string(field.number()) +
                 (field.is_repeated()    ? " repeated "
                  : field.has_presence() ? " optional "
                                         : " ") +
                 type_of(field) + (choice != nullptr ? " of " + choice->name() : ""));
  }
  for (int i = 0; i < message.nested_type_count(); ++i)
    describe(*message.nested_type(i), lines);
  for (int i = 0; i < message.enum_type_count(); ++i)
    describe(*message.enum_type(i), lines);
}

void describe(const ServiceDescriptor& service, std::set<std::string>& lines) {
  for (int i = 0; i < service.method_count(); ++i) {
    const auto& call = *service.method(i);
    lines.insert(call.full_name() + "(" + (call.client_streaming() ? "stream " : "") +
                 call.input_type()->full_name() + ") " +
                 (call.server_streaming() ? "stream " : "") + call.output_type()->full_name());
  }
}

std::set<std::string> describe_api() {
  std::set<std::string> lines;
  for (const FileDescriptor* file :
       {Asset::descriptor()->file(), Frame::descriptor()->file(), Scene::descriptor()->file(),
        ValidateSceneRequest::descriptor()->file(), ServerInfo::descriptor()->file(),
        Session::descriptor()->file()}) {
    for (int i = 0; i < file->message_type_count(); ++i)
      describe(*file->message_type(i), lines);
    for (int i = 0; i < file->enum_type_count(); ++i)
      describe(*file->enum_type(i), lines);
    for (int i = 0; i < file->service_count(); ++i)
      describe(*file->service(i), lines);
  }
  return lines;
}

TEST(Api, has_all_that_was_ever_released) {
  const std::set<std::string> lines = describe_api();
  if (const char* const path = std::getenv("SLUICE_WRITE_API"); path != nullptr) {
    std::ofstream file(path);
    for (const std::string& line : lines)
      file << line << '\n';
  }
  std::ifstream file(SLUICE_RELEASED_API);
  int count = 0;
  for (std::string line; std::getline(file, line); ++count)
    EXPECT_TRUE(lines.contains(line)) << "no longer so: " << line;
  EXPECT_GT(count, 500);
}

}  // namespace
}  // namespace sluice::v1
