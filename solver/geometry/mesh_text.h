// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

/// Private to the mesh readers: lines, words and numbers of a text that is already in memory.
namespace sluice::geometry::mesh_text {

constexpr std::string_view blanks = " \t\r\v\f";

/// Takes the next word off the front of `rest`; empty at the end.
inline std::string_view next_word(std::string_view& rest) {
  const std::size_t first = rest.find_first_not_of(blanks);
  if (first == std::string_view::npos) {
    rest = {};
    return {};
  }
  rest.remove_prefix(first);
  const std::string_view word = rest.substr(0, rest.find_first_of(blanks));
  rest.remove_prefix(word.size());
  return word;
}

/// The number that the whole of `word` spells, if it does. A leading + is allowed.
template <typename Number>
std::optional<Number> to_number(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

/// Walks over the lines of a text.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : rest_(text) {}

  /// The next line without its end; nullopt after the last.
  std::optional<std::string_view> next() {
    if (rest_.empty()) return std::nullopt;
    ++line_number_;
    const std::size_t end = rest_.find('\n');
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    return line;
  }

  [[nodiscard]] std::int64_t line_number() const { return line_number_; }  ///< Of the last; from 1.
  [[nodiscard]] std::string_view rest() const { return rest_; }            ///< After the last.

 private:
  std::string_view rest_;
  std::int64_t line_number_ = 0;
};

}  // namespace sluice::geometry::mesh_text
