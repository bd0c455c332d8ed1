// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "solver/geometry/mesh_text.h"

/// Private to the mesh readers: a place in a file whose keywords are text and whose numbers are
/// text or binary.
namespace sluice::geometry::mesh_text {

enum class NumberForm { text, little_endian, big_endian };

class FileCursor {
 public:
  explicit FileCursor(std::string_view bytes) : bytes_(bytes), line_end_(line_end_of(bytes)) {}

  void set_form(NumberForm form) { form_ = form; }
  [[nodiscard]] bool is_binary() const { return form_ != NumberForm::text; }
  [[nodiscard]] std::size_t offset() const { return offset_; }
  [[nodiscard]] std::string_view rest() const { return bytes_.substr(offset_); }
  void skip(std::size_t size) { offset_ += std::min(size, bytes_.size() - offset_); }

  /// The rest of this line without its end (line_end_of); goes to the next. Empty at the end.
  std::string_view line() {
    mark_ = offset_;
    const std::size_t end = std::min(bytes_.find(line_end_, offset_), bytes_.size());
    std::string_view text = bytes_.substr(offset_, end - offset_);
    offset_ = std::min(end + 1, bytes_.size());
    if (text.ends_with('\r')) text.remove_suffix(1);
    return text;
  }

  /// The next word, on this line or a later one. Empty at the end.
  std::string_view word() { return word_before('\n'); }

  /// The next word as by word(), which also ends before `stop`.
  std::string_view word_before(char stop) {
    offset_ = std::min(bytes_.find_first_not_of(blanks, offset_), bytes_.size());
    mark_ = offset_;
    std::size_t end = std::min(bytes_.find_first_of(blanks, offset_), bytes_.size());
    end = offset_ + std::min(bytes_.substr(offset_, end - offset_).find(stop), end - offset_);
    const std::string_view text = bytes_.substr(offset_, end - offset_);
    offset_ = end;
    return text;
  }

  /// The next number in the form set: a word, or the bytes of a T.
  template <typename T>
  std::optional<T> number() {
    if (!is_binary()) return to_number<T>(word());
    mark_ = offset_;
    if (bytes_.size() - offset_ < sizeof(T)) return std::nullopt;
    std::array<char, sizeof(T)> raw;
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset_), sizeof(T), raw.begin());
    constexpr bool is_little_here = std::endian::native == std::endian::little;
    if ((form_ == NumberForm::little_endian) != is_little_here) {
      std::reverse(raw.begin(), raw.end());
    }
    offset_ += sizeof(T);
    return std::bit_cast<T>(raw);
  }

  /// Where the last line, word or number began: "line 7", or "byte 123" once numbers are binary.
  [[nodiscard]] std::string where() const {
    if (is_binary()) return "byte " + std::to_string(mark_);
    const auto mark = bytes_.begin() + static_cast<std::ptrdiff_t>(mark_);
    return "line " + std::to_string(1 + std::count(bytes_.begin(), mark, line_end_));
  }

 private:
  std::string_view bytes_;
  char line_end_;
  std::size_t offset_ = 0;
  std::size_t mark_ = 0;
  NumberForm form_ = NumberForm::text;
};

}  // namespace sluice::geometry::mesh_text
