// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <google/protobuf/descriptor.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::convert {

/// Returns `path.name`, or just `name` if `path` is empty: the root.
[[nodiscard]] std::string child_path(std::string_view path, std::string_view name);

/// Returns `path[index]`.
[[nodiscard]] std::string element_path(std::string_view path, std::size_t index);

/// Returns up to 40 bytes of `text`, cut at a character; `?` replaces bad bytes and control codes.
[[nodiscard]] std::string excerpt(std::string_view text);

/// Returns the message for `name`, which is no field of `type`: "unknown field; did you mean ...?".
[[nodiscard]] std::string unknown_field_message(const google::protobuf::Descriptor& type,
                                                std::string_view name);

/// Returns the message for `name`, which is no value of `type`, with a near value and all values.
[[nodiscard]] std::string unknown_enum_message(const google::protobuf::EnumDescriptor& type,
                                               std::string_view name);

/// Returns the names of `type` that a person may choose: all but that of the value 0.
[[nodiscard]] std::vector<std::string> enum_names(const google::protobuf::EnumDescriptor& type);

}  // namespace sluice::convert
