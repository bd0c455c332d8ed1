// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <google/protobuf/generated_enum_reflection.h>

#include <string>

#include "server/convert/field_path.h"
#include "server/convert/problem_sink.h"

namespace sluice::convert {

/// Whether the scene chose a value of the enum: `value` is a known one, and not 0, which counts as
/// omitted. Reports an unknown number, which a message from outside can hold, as an error.
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
