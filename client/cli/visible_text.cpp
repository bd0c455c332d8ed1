// SPDX-License-Identifier: Apache-2.0
#include "client/cli/visible_text.h"

#include <fmt/format.h>

#include <cstdint>

namespace sluice::cli {
namespace {

struct Character {
  std::uint32_t code;
  std::size_t byte_count;  // 0: the first byte is no UTF-8.
};

/// The character that `text` begins with; `text` is not empty. Source: RFC 3629, section 4.
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) {
    return {lead, 1};
  }
  const std::size_t count = lead >= 0xC2 && lead < 0xE0   ? 2
                            : lead >= 0xE0 && lead < 0xF0 ? 3
                            : lead >= 0xF0 && lead < 0xF5 ? 4
                                                          : 0;
  if (count == 0 || text.size() < count) {
    return {lead, 0};
  }
  std::uint32_t code = lead & (0xFFU >> (count + 1));
  for (std::size_t i = 1; i < count; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) {
      return {lead, 0};
    }
    code = code << 6U | (byte(i) & 0x3FU);
  }
  const bool overlong = (count == 3 && code < 0x800) || (count == 4 && code < 0x10000);
  const bool is_surrogate = code >= 0xD800 && code < 0xE000;
  return overlong || is_surrogate || code > 0x10FFFF ? Character{lead, 0} : Character{code, count};
}

bool acts(std::uint32_t code) {
  const bool is_control = code < 0x20 || (code >= 0x7F && code < 0xA0);
  const bool ends_line = code == 0x2028 || code == 0x2029;
  const bool turns_text = code == 0x200E || code == 0x200F || code == 0x061C ||
                          (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  return is_control || ends_line || turns_text;
}

std::string make_visible(std::string_view text, bool keeps_line_feeds) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const auto [code, byte_count] = first_character(text);
    if (byte_count == 0) {
      shown += fmt::format("\\x{:02x}", code);
    } else if (acts(code) && !(keeps_line_feeds && code == '\n')) {
      shown += code < 0x100 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{:04x}", code);
    } else {
      shown += text.substr(0, byte_count);
    }
    text.remove_prefix(byte_count == 0 ? 1 : byte_count);
  }
  return shown;
}

}  // namespace

std::string visible(std::string_view text) { return make_visible(text, false); }

std::string visible_lines(std::string_view text) { return make_visible(text, true); }

std::string shell_word(const std::string& text) {
  constexpr std::string_view plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) {
    return text;
  }
  std::string quoted = "'";
  for (const char c : text) {
    quoted += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return quoted + "'";
}

}  // namespace sluice::cli
