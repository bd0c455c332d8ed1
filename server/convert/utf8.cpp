// SPDX-License-Identifier: Apache-2.0
#include "server/convert/utf8.h"

namespace sluice::convert {
namespace {

bool between(char c, unsigned low, unsigned high) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= low && byte <= high;
}

}  // namespace

std::size_t utf8_sequence(std::string_view text) noexcept {
  if (text.empty()) return 0;
  const char first = text[0];
  if (between(first, 0x00, 0x7F)) return 1;
  std::size_t length = 0;
  unsigned low = 0x80;   // Range of the second byte: it rules out overlong forms, surrogates and
  unsigned high = 0xBF;  // what is past 0x10FFFF.
  if (between(first, 0xC2, 0xDF)) {
    length = 2;
  } else if (between(first, 0xE0, 0xEF)) {
    length = 3;
    if (between(first, 0xE0, 0xE0)) low = 0xA0;
    if (between(first, 0xED, 0xED)) high = 0x9F;
  } else if (between(first, 0xF0, 0xF4)) {
    length = 4;
    if (between(first, 0xF0, 0xF0)) low = 0x90;
    if (between(first, 0xF4, 0xF4)) high = 0x8F;
  }
  if (length == 0 || text.size() < length || !between(text[1], low, high)) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (!between(text[i], 0x80, 0xBF)) return 0;
  }
  return length;
}

void append_utf8(std::uint32_t code_point, std::string& text) {
  const auto append = [&text](std::uint32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (code_point < 0x80) {
    append(code_point);
  } else if (code_point < 0x800) {
    append(0xC0 | (code_point >> 6));
    append(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    append(0xE0 | (code_point >> 12));
    append(0x80 | ((code_point >> 6) & 0x3F));
    append(0x80 | (code_point & 0x3F));
  } else {
    append(0xF0 | (code_point >> 18));
    append(0x80 | ((code_point >> 12) & 0x3F));
    append(0x80 | ((code_point >> 6) & 0x3F));
    append(0x80 | (code_point & 0x3F));
  }
}

}  // namespace sluice::convert
