// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <google/protobuf/message.h>

#include <string>
#include <vector>

#include "server/convert/json_reader.h"
#include "solver/scene/problem.h"

namespace sluice::convert {

/// Fills `message`, which is empty, from `value` by protobuf's JSON mapping, and tells everything
/// that does not fit: unknown and doubled fields, two members of a oneof, wrong types, integers out
/// of range, unknown enum values. Goes on after each, so that one reading finds all.
///
/// A number that cannot be read becomes NaN, so that the elements after it keep their place; other
/// refused values are left out. Numbers that a JSON text cannot express in the mapping (NaN,
/// Infinity) are kept for the field's own check to refuse.
///
/// Of field types, those that sluice.v1.Scene has: numbers, strings, enums, messages, repeated
/// ones.
void read_message(const JsonValue& value, const std::string& path,
                  google::protobuf::Message& message, std::vector<scene::Problem>& problems);

}  // namespace sluice::convert
