// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <google/protobuf/message.h>

#include <string>
#include <vector>

#include "server/convert/json_reader.h"
#include "solver/scene/problem.h"

namespace sluice::convert {

/// Fills the empty `message` from `value` by protobuf's JSON mapping, and adds a problem for each
/// thing that does not fit: unknown and doubled fields, two members of a oneof, wrong types,
/// integers out of range, unknown enum values. Goes on after each, so that one reading finds all.
///
/// A number that cannot be read becomes NaN, so that the elements after it keep their place; other
/// refused values are left out. Numbers that a JSON text cannot express in the mapping (NaN,
/// Infinity) are kept for the field's own check to refuse.
///
/// Supports the field types that sluice.v1.Scene uses: numbers, strings, enums, messages, and
/// repeated fields of these.
void read_message(const JsonValue& value, const std::string& path,
                  google::protobuf::Message& message, std::vector<scene::Problem>& problems);

}  // namespace sluice::convert
