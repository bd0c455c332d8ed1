// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::geometry::vtk {

/// Private to the readers of VTK XML files: bytes that are read from the front, as they are or from
/// base64 (RFC 4648, section 4).
///
/// Base64 may be several runs, one behind the other, each with its own padding: VTK encodes headers
/// and data apart, others together. Blanks between its letters are skipped.
class ByteSource {
 public:
  ByteSource(std::string_view text, bool is_base64) : text_(text), is_base64_(is_base64) {}

  /// The next `size` bytes; nothing where there are fewer, or a letter is not of base64.
  [[nodiscard]] std::optional<std::string> take(std::size_t size);

  /// Returns an upper bound of the number of bytes left.
  [[nodiscard]] std::size_t most_left() const {
    return is_base64_ ? decoded_.size() + 3 * (text_.size() / 4) : text_.size();
  }

 private:
  bool decode_group();

  std::string_view text_;
  bool is_base64_;
  std::string decoded_;  // Decoded from the last group, not yet taken.
};

}  // namespace sluice::geometry::vtk
