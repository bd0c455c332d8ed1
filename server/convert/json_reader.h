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

/// A value as it stands in a text. Numbers keep their spelling: what they may be is for the field
/// that takes them to say.
struct JsonValue {
  JsonKind kind = JsonKind::null;
  std::string text;                 ///< Of a number or boolean its spelling, of a string its UTF-8.
  std::vector<JsonMember> members;  ///< Of an object in order, doubled names kept; of an array.
};

struct JsonMember {
  std::string name;  ///< Empty in an array.
  JsonValue value;
  std::size_t line = 0;  ///< Where the name stands, from 1; 0 in an array.
};

/// Where a text stops being JSON.
struct JsonError {
  std::size_t line = 0;    ///< From 1.
  std::size_t column = 0;  ///< From 1, in bytes.
  std::string message;     ///< What was found and what may stand there.
};

struct JsonText {
  JsonValue value;
  std::optional<JsonError> error;  ///< The first; `value` is then of no use.
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
