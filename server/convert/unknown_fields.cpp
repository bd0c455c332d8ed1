// SPDX-License-Identifier: Apache-2.0
#include "server/convert/unknown_fields.h"

#include <fmt/format.h>
#include <google/protobuf/unknown_field_set.h>

#include "server/convert/field_path.h"

namespace sluice::convert {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

}  // namespace

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

}  // namespace sluice::convert
