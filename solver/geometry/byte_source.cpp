// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/byte_source.h"

#include <array>
#include <cstdint>
#include <utility>

namespace sluice::geometry::vtk {
namespace {

// The number that a letter stands for; 64 for padding, -1 for other characters.
int value_of(char letter) {
  if (letter >= 'A' && letter <= 'Z') return letter - 'A';
  if (letter >= 'a' && letter <= 'z') return letter - 'a' + 26;
  if (letter >= '0' && letter <= '9') return letter - '0' + 52;
  if (letter == '+') return 62;
  if (letter == '/') return 63;
  return letter == '=' ? 64 : -1;
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

}  // namespace

// Four letters, or three or two and padding, are three bytes, two or one.
bool ByteSource::decode_group() {
  std::uint32_t bits = 0;
  int letter_count = 0, padding_count = 0;
  while (letter_count + padding_count < 4) {
    while (!text_.empty() && is_blank(text_.front()))
      text_.remove_prefix(1);
    if (text_.empty()) return false;
    const int value = value_of(text_.front());
    if (value < 0 || (value == 64 && letter_count < 2) || (value < 64 && padding_count > 0)) {
      return false;
    }
    text_.remove_prefix(1);
    bits = bits << 6U | static_cast<std::uint32_t>(value & 63);
    ++(value == 64 ? padding_count : letter_count);
  }
  const std::array<char, 3> three{static_cast<char>(bits >> 16U), static_cast<char>(bits >> 8U),
                                  static_cast<char>(bits)};
  decoded_.append(three.data(), static_cast<std::size_t>(3 - padding_count));
  return true;
}

std::optional<std::string> ByteSource::take(std::size_t size) {
  if (!is_base64_) {
    if (size > text_.size()) return std::nullopt;
    std::string bytes(text_.substr(0, size));
    text_.remove_prefix(size);
    return bytes;
  }
  if (size > most_left()) return std::nullopt;
  while (decoded_.size() < size) {
    if (!decode_group()) return std::nullopt;
  }
  std::string rest = decoded_.substr(size);
  decoded_.resize(size);
  return std::exchange(decoded_, std::move(rest));
}

}  // namespace sluice::geometry::vtk
