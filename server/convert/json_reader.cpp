// SPDX-License-Identifier: Apache-2.0
#include "server/convert/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <utility>

#include "server/convert/utf8.h"

namespace sluice::convert {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Each `read` and `skip` returns false once an error is set; the error that was set first stays.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  JsonText run() {
    JsonText answer;
    if (text_.starts_with("\xEF\xBB\xBF")) position_ = 3;
    if (is_utf16()) fail("the text is UTF-16; save it as UTF-8");
    if (!error_ && read_value(answer.value, 0) && skip_space() && position_ < text_.size()) {
      fail(fmt::format("expected the end of the text, found {}", found()));
    }
    answer.error = std::move(error_);
    return answer;
  }

 private:
  [[nodiscard]] bool at(char c) const { return position_ < text_.size() && text_[position_] == c; }

  bool take(char c) {
    if (!at(c)) return false;
    ++position_;
    return true;
  }

  // By its mark, or by a zero in every second byte of its first characters, which are of ASCII.
  [[nodiscard]] bool is_utf16() const {
    if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF")) return true;
    constexpr std::size_t looked_at = 4;
    if (text_.size() < looked_at) return false;
    const auto has_zeros = [&](std::size_t first) {
      return text_[first] == '\0' && text_[first + 2] == '\0' && text_[1 - first] != '\0' &&
             text_[3 - first] != '\0';
    };
    return has_zeros(0) || has_zeros(1);
  }

  // The line that a later place is in; asked for in the order of the text.
  std::size_t line_at(std::size_t position) {
    for (; counted_to_ < position; ++counted_to_)
      line_ += ends_line(counted_to_) ? 1 : 0;
    return line_;
  }

  // \n, or a \r that no \n follows.
  [[nodiscard]] bool ends_line(std::size_t position) const {
    return text_[position] == '\n' || (text_[position] == '\r' && (position + 1 == text_.size() ||
                                                                   text_[position + 1] != '\n'));
  }

  bool fail(std::string message) { return fail_at(position_, std::move(message)); }

  bool fail_at(std::size_t position, std::string message) {
    if (error_) return false;
    std::size_t line = 1, line_start = 0;
    for (std::size_t i = 0; i < position; ++i) {
      if (!ends_line(i)) continue;
      ++line;
      line_start = i + 1;
    }
    error_ = JsonError{line, position - line_start + 1, std::move(message)};
    return false;
  }

  // The word, character or byte that stands here, for a message.
  [[nodiscard]] std::string found() const {
    if (position_ >= text_.size()) return "the end of the text";
    const std::string_view rest = text_.substr(position_);
    if (is_word(rest[0])) {
      std::size_t length = 0;
      while (length < rest.size() && length < 40 && is_word(rest[length]))
        ++length;
      return fmt::format("`{}`", rest.substr(0, length));
    }
    const std::size_t length = utf8_sequence(rest);
    if (length == 0 || static_cast<unsigned char>(rest[0]) < 0x20) {
      return fmt::format("byte 0x{:02x}", static_cast<unsigned char>(rest[0]));
    }
    return fmt::format("`{}`", rest.substr(0, length));
  }

  bool skip_space() {
    for (;;) {
      while (position_ < text_.size() && (at(' ') || at('\t') || at('\n') || at('\r')))
        ++position_;
      const std::string_view rest = text_.substr(position_);
      if (rest.starts_with("//")) {
        position_ = std::min(text_.find_first_of("\r\n", position_), text_.size());
      } else if (rest.starts_with("/*")) {
        const std::size_t end = text_.find("*/", position_ + 2);
        if (end == std::string_view::npos) return fail("this comment is never closed by `*/`");
        position_ = end + 2;
      } else {
        return true;
      }
    }
  }

  bool read_value(JsonValue& value, std::size_t depth) {
    if (!skip_space()) return false;
    if (++value_count_ > json_value_limit) {
      return fail(fmt::format("more than {} values", json_value_limit));
    }
    if (at('{') || at('[')) {
      if (depth >= json_depth_limit) {
        return fail(fmt::format("nested more than {} deep", json_depth_limit));
      }
      return at('{') ? read_object(value, depth) : read_array(value, depth);
    }
    if (at('"')) {
      value.kind = JsonKind::string;
      return read_string(value.text);
    }
    if (at('-') || (position_ < text_.size() && is_digit(text_[position_]))) {
      return read_number(value);
    }
    return read_word(value);
  }

  bool read_object(JsonValue& value, std::size_t depth) {
    value.kind = JsonKind::object;
    ++position_;
    for (;;) {
      if (!skip_space()) return false;
      if (take('}')) return true;
      if (!at('"')) {
        return fail(
            fmt::format("expected a field's name in double quotes or `}}`, found {}", found()));
      }
      JsonMember& member = value.members.emplace_back();
      member.line = line_at(position_);
      if (!read_string(member.name) || !skip_space()) return false;
      if (!take(':')) {
        return fail(fmt::format("expected `:` after the field's name, found {}", found()));
      }
      if (!read_value(member.value, depth + 1) || !skip_space()) return false;
      if (take(',')) continue;
      if (!at('}')) return fail(fmt::format("expected `,` or `}}`, found {}", found()));
    }
  }

  bool read_array(JsonValue& value, std::size_t depth) {
    value.kind = JsonKind::array;
    ++position_;
    for (;;) {
      if (!skip_space()) return false;
      if (take(']')) return true;
      JsonMember& member = value.members.emplace_back();
      if (!read_value(member.value, depth + 1) || !skip_space()) return false;
      if (take(',')) continue;
      if (!at(']')) return fail(fmt::format("expected `,` or `]`, found {}", found()));
    }
  }

  bool read_word(JsonValue& value) {
    std::size_t end = position_;
    while (end < text_.size() && is_word(text_[end]))
      ++end;
    const std::string_view word = text_.substr(position_, end - position_);
    if (word == "null") {
      value.kind = JsonKind::null;
    } else if (word == "true" || word == "false") {
      value.kind = JsonKind::boolean;
    } else if (word == "NaN" || word == "Infinity") {
      value.kind = JsonKind::number;
    } else {
      return fail(fmt::format("expected a value, found {}", found()));
    }
    value.text = word;
    position_ = end;
    return true;
  }

  // RFC 8259, section 6.
  bool read_number(JsonValue& value) {
    const std::size_t start = position_;
    const auto digits = [this] {
      const std::size_t first = position_;
      while (position_ < text_.size() && is_digit(text_[position_]))
        ++position_;
      return position_ > first;
    };
    bool good = true;
    take('-');
    if (text_.substr(position_).starts_with("Infinity")) {
      position_ += 8;
    } else {
      good = take('0') || digits();
      if (good && take('.')) good = digits();
      if (good && (at('e') || at('E'))) {
        ++position_;
        if (!take('+')) take('-');
        good = digits();
      }
    }
    if (!good || (position_ < text_.size() && (is_word(text_[position_]) || at('.')))) {
      while (position_ < text_.size() && (is_word(text_[position_]) || at('.')))
        ++position_;
      return fail_at(
          start, fmt::format("`{}` is not a number",
                             text_.substr(start, std::min<std::size_t>(position_ - start, 40))));
    }
    value.kind = JsonKind::number;
    value.text = text_.substr(start, position_ - start);
    return true;
  }

  bool read_string(std::string& into) {
    const std::size_t start = position_;
    ++position_;
    for (;;) {
      if (position_ >= text_.size()) return fail_at(start, "this string is never closed");
      if (take('"')) return true;
      if (at('\\')) {
        if (!read_escape(into)) return false;
        continue;
      }
      if (at('\n')) return fail_at(start, "this string is not closed on its line");
      if (static_cast<unsigned char>(text_[position_]) < 0x20) {
        return fail(fmt::format("a string may not hold {}: write it as an escape", found()));
      }
      const std::size_t length = utf8_sequence(text_.substr(position_));
      if (length == 0) return fail(fmt::format("{} is not UTF-8", found()));
      into.append(text_.substr(position_, length));
      position_ += length;
    }
  }

  bool read_escape(std::string& into) {
    constexpr std::string_view letters = "\"\\/bfnrt";
    constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
    const std::size_t start = position_++;
    const char letter = position_ < text_.size() ? text_[position_] : '\0';
    ++position_;
    if (const std::size_t known = letters.find(letter); known != std::string_view::npos) {
      into.push_back(meanings[known]);
      return true;
    }
    std::uint32_t unit = 0;
    if (letter != 'u' || !read_hex(unit)) return fail_at(start, "unknown escape in a string");
    if (unit >= 0xD800 && unit < 0xDC00) {
      std::uint32_t low = 0;
      if (!text_.substr(position_).starts_with("\\u")) {
        return fail_at(start, "half a surrogate pair in a string");
      }
      position_ += 2;
      if (!read_hex(low) || low < 0xDC00 || low > 0xDFFF) {
        return fail_at(start, "half a surrogate pair in a string");
      }
      unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
    } else if (unit >= 0xDC00 && unit <= 0xDFFF) {
      return fail_at(start, "half a surrogate pair in a string");
    }
    append_utf8(unit, into);
    return true;
  }

  bool read_hex(std::uint32_t& unit) {
    unit = 0;
    for (int i = 0; i < 4; ++i, ++position_) {
      if (position_ >= text_.size()) return false;
      const char c = text_[position_];
      const bool letter = std::isxdigit(static_cast<unsigned char>(c)) != 0 && !is_digit(c);
      if (!letter && !is_digit(c)) return false;
      unit = unit * 16 + static_cast<std::uint32_t>(letter ? (c | 0x20) - 'a' + 10 : c - '0');
    }
    return true;
  }

  std::string_view text_;
  std::size_t position_ = 0;
  std::size_t value_count_ = 0;
  std::size_t counted_to_ = 0, line_ = 1;  // How far line_at() has counted, and the line there.
  std::optional<JsonError> error_;
};

}  // namespace

JsonText read_json(std::string_view text) { return Reader(text).run(); }

}  // namespace sluice::convert
