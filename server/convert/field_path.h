// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <google/protobuf/descriptor.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::convert {

/// `path.name`, or `name` below the root.
[[nodiscard]] std::string child_path(std::string_view path, std::string_view name);

/// `path[index]`.
[[nodiscard]] std::string element_path(std::string_view path, std::size_t index);

/// At most 40 bytes of a string from outside, cut at a character, without control characters.
[[nodiscard]] std::string excerpt(std::string_view text);

/// "unknown field ...; did you mean ...?" for a name that `type` has no field of.
[[nodiscard]] std::string unknown_field_message(const google::protobuf::Descriptor& type,
                                                std::string_view name);

/// "unknown value ...; did you mean ...?", with all that are allowed.
[[nodiscard]] std::string unknown_enum_message(const google::protobuf::EnumDescriptor& type,
                                               std::string_view name);

/// The values of `type` that a person may choose: all but the unspecified one.
[[nodiscard]] std::vector<std::string> enum_names(const google::protobuf::EnumDescriptor& type);

}  // namespace sluice::convert
