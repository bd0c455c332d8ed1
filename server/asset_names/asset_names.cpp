// SPDX-License-Identifier: Apache-2.0
#include "server/asset_names/asset_names.h"

#include <google/protobuf/descriptor.h>

#include <set>
#include <unordered_set>
#include <utility>

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

/// The names in the order in which they were found.
class Names {
 public:
  void add(const std::string& name) {
    if (!name.empty() && known_.insert(name).second) all_.push_back(name);
  }
  [[nodiscard]] std::vector<std::string> take() { return std::move(all_); }

 private:
  std::vector<std::string> all_;
  std::unordered_set<std::string> known_;
};

void visit(const Message& message, Names& names) {
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
          names.add(access.GetRepeatedString(message, &field, k));
        } else {
          visit(access.GetRepeatedMessage(message, &field, k), names);
        }
      }
    } else if (has_text) {
      names.add(access.GetString(message, &field));
    } else if (access.HasField(message, &field)) {
      visit(access.GetMessage(message, &field), names);
    }
  }
}

}  // namespace

std::vector<std::string> find(const Message& message) {
  Names names;
  visit(message, names);
  return names.take();
}

}  // namespace sluice::asset_names
