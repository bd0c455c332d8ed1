// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <google/protobuf/generated_enum_reflection.h>

#include <string>

#include "server/convert/field_path.h"
#include "server/convert/problem_sink.h"

namespace sluice::convert {

/// Whether `value` is one of the enum's other than 0, which counts as omitted; a value that is none
/// of them, as messages from outside can have, is an error.
template <typename Enum>
bool chosen(Enum value, const std::string& path, ProblemSink& problems) {
  const google::protobuf::EnumDescriptor* type = google::protobuf::GetEnumDescriptor<Enum>();
  const int number = static_cast<int>(value);
  if (number == 0) return false;
  if (type->FindValueByNumber(number) != nullptr) return true;
  problems.error(path, fmt::format("unknown value {}: must be one of {}", number,
                                   fmt::join(enum_names(*type), ", ")));
  return false;
}

}  // namespace sluice::convert
