// SPDX-License-Identifier: Apache-2.0
#include "server/asset_names/asset_names.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <set>

#include "sluice/v1/annotations.pb.h"

namespace sluice::asset_names {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

bool is_marked(const FieldDescriptor& field) {
  return field.options().GetExtension(v1::names_asset);
}

// Whether a message of that type can name an asset; `seen` are the types that were asked before.
bool can_name(const Descriptor& type, std::set<const Descriptor*>& seen) {
  if (!seen.insert(&type).second) return false;
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    if (is_marked(field)) return true;
    if (field.message_type() != nullptr && can_name(*field.message_type(), seen)) return true;
  }
  return false;
}

void add(const std::string& name, std::vector<std::string>& names) {
  if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
}

void visit(const Message& message, std::vector<std::string>& names) {
  const Descriptor& type = *message.GetDescriptor();
  const Reflection& access = *message.GetReflection();
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    const bool has_text = is_marked(field);
    std::set<const Descriptor*> seen;
    if (!has_text && (field.message_type() == nullptr || !can_name(*field.message_type(), seen))) {
      continue;
    }
    if (field.is_repeated()) {
      for (int k = 0; k < access.FieldSize(message, &field); ++k) {
        if (has_text) {
          add(access.GetRepeatedString(message, &field, k), names);
        } else {
          visit(access.GetRepeatedMessage(message, &field, k), names);
        }
      }
    } else if (has_text) {
      add(access.GetString(message, &field), names);
    } else if (access.HasField(message, &field)) {
      visit(access.GetMessage(message, &field), names);
    }
  }
}

}  // namespace

std::vector<std::string> find(const Message& message) {
  std::vector<std::string> names;
  visit(message, names);
  return names;
}

}  // namespace sluice::asset_names
