// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

/// Private to the mesh readers: lines, words and numbers of a text that is already in memory.
namespace sluice::geometry::mesh_text {

constexpr std::string_view blanks = " \t\r\v\f\n";

/// Returns the end of a file's lines: \n, also after a \r, or \r alone as on old Macs. Judged by
/// the first line, as the bytes of numbers after a line must not be taken for a part of its end.
[[nodiscard]] inline char line_end_of(std::string_view bytes) {
  const std::size_t end = bytes.find_first_of("\r\n");
  const bool is_return_alone = end != std::string_view::npos && bytes[end] == '\r' &&
                               (end + 1 == bytes.size() || bytes[end + 1] != '\n');
  return is_return_alone ? '\r' : '\n';
}

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
  /// Lines of a text end with \n, \r\n or \r.
  explicit LineReader(std::string_view text) : rest_(text) {}

  /// Lines end with `line_end` alone, as line_end_of gives it: where numbers in binary follow a
  /// line.
  LineReader(std::string_view bytes, char line_end) : rest_(bytes), line_end_(line_end) {}

  /// The next line without its end, but for a \r before a \n, which is a blank; nullopt after the
  /// last.
  std::optional<std::string_view> next() {
    if (rest_.empty()) return std::nullopt;
    ++line_number_;
    const std::size_t end =
        line_end_ ? rest_.find(*line_end_) : rest_.find_first_of(std::string_view("\r\n"));
    const std::string_view line = rest_.substr(0, end);
    if (end == std::string_view::npos) {
      rest_ = {};
    } else {
      const bool has_two = !line_end_ && rest_.substr(end).starts_with("\r\n");
      rest_.remove_prefix(end + (has_two ? 2 : 1));
    }
    return line;
  }

  /// Goes on with lines of text, whatever their ends.
  void read_text() { line_end_.reset(); }

  [[nodiscard]] std::int64_t line_number() const { return line_number_; }  ///< Last line's; from 1.
  [[nodiscard]] std::string_view rest() const { return rest_; }            ///< After the last line.

 private:
  std::string_view rest_;
  std::optional<char> line_end_;
  std::int64_t line_number_ = 0;
};

}  // namespace sluice::geometry::mesh_text
