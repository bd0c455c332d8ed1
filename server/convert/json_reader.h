// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::convert {

enum class JsonKind { null, boolean, number, string, array, object };

struct JsonMember;

/// A JSON value as it stands in a text. Numbers keep their spelling: the field that takes a number
/// decides what is allowed.
struct JsonValue {
  JsonKind kind = JsonKind::null;
  std::string text;                 ///< Spelling of a number or boolean; a string's UTF-8 content.
  std::vector<JsonMember> members;  ///< An array's elements, or an object's members in order.
};

struct JsonMember {
  std::string name;  ///< Empty in an array. An object may have members of the same name.
  JsonValue value;
  std::size_t line = 0;  ///< The name's line, counted from 1; 0 in an array.
};

/// The place where a text stops being JSON.
struct JsonError {
  std::size_t line = 0;    ///< Counted from 1.
  std::size_t column = 0;  ///< In bytes, counted from 1.
  std::string message;     ///< Says what was found and what may stand there.
};

struct JsonText {
  JsonValue value;
  std::optional<JsonError> error;  ///< The first error; if set, `value` is of no use.
};

/// Reads JSON (RFC 8259) and, beyond it, `//` and `/* */` comments, commas before a closing
/// bracket, lines that end with \r alone, a byte order mark, and the bare words NaN, Infinity and
/// -Infinity as numbers, so that a scene with such a number can be refused by the name of its
/// field.
///
/// Refuses UTF-16 by its name, strings that are not UTF-8, more than `json_depth_limit` levels and
/// more than `json_value_limit` values: memory stays under about 150 MB.
[[nodiscard]] JsonText read_json(std::string_view text);

inline constexpr std::size_t json_depth_limit = 64;
inline constexpr std::size_t json_value_limit = 1'000'000;

}  // namespace sluice::convert
