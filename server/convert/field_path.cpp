// SPDX-License-Identifier: Apache-2.0
#include "server/convert/field_path.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "server/convert/did_you_mean.h"
#include "server/convert/utf8.h"

namespace sluice::convert {
namespace {

constexpr std::size_t longest_excerpt = 40;

// Names that people look for in a message that does not have them, and where they are.
struct Elsewhere {
  std::string_view message;
  std::vector<std::string_view> names;
  std::string_view advice;
};

std::string advice_on(const google::protobuf::Descriptor& type, std::string_view name) {
  static const std::vector<Elsewhere> all{
      {"Obstacle",
       {"mesh", "velocity", "angular_velocity", "angular_velocity_degrees", "script", "keyframes",
        "keys", "motion"},
       "what has a mesh, or moves as told, is one of `rigid_bodies` with a `script`; with one key "
       "it stands still"}};
  for (const Elsewhere& elsewhere : all) {
    if (elsewhere.message == type.name() &&
        std::ranges::find(elsewhere.names, name) != elsewhere.names.end())
      return fmt::format("; {}", elsewhere.advice);
  }
  return {};
}

}  // namespace

std::string child_path(std::string_view path, std::string_view name) {
  return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
}

std::string element_path(std::string_view path, std::size_t index) {
  return fmt::format("{}[{}]", path, index);
}

std::string excerpt(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t length = utf8_sequence(text);
    if (shown.size() + length > longest_excerpt) return shown + "...";
    const auto first = static_cast<unsigned char>(text[0]);
    if (length == 0 || first < 0x20 || first == 0x7F) {
      shown += '?';
    } else {
      shown += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return shown;
}

std::string unknown_field_message(const google::protobuf::Descriptor& type, std::string_view name) {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(type.field_count()));
  for (int i = 0; i < type.field_count(); ++i)
    names.push_back(type.field(i)->name());
  if (const auto near = did_you_mean(name, names)) {
    return fmt::format("unknown field; did you mean `{}`?", *near);
  }
  return names.empty() ? std::string("unknown field: no field is allowed here")
                       : fmt::format("unknown field: known here are {}{}", fmt::join(names, ", "),
                                     advice_on(type, name));
}

std::string unknown_enum_message(const google::protobuf::EnumDescriptor& type,
                                 std::string_view name) {
  const std::vector<std::string> names = enum_names(type);
  const auto near = did_you_mean(name, names);
  return fmt::format("unknown value \"{}\"{}: must be one of {}", excerpt(name),
                     near ? fmt::format(" (did you mean {}?)", *near) : "", fmt::join(names, ", "));
}

std::vector<std::string> enum_names(const google::protobuf::EnumDescriptor& type) {
  std::vector<std::string> names;
  for (int i = 0; i < type.value_count(); ++i) {
    if (type.value(i)->number() != 0) names.push_back(type.value(i)->name());
  }
  return names;
}

}  // namespace sluice::convert
