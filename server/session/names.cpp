// SPDX-License-Identifier: Apache-2.0
#include "server/session/names.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace sluice::session {
namespace {
constexpr std::string_view prefix = "sessions/";
}

std::string session_name(std::string_view id) { return std::string(prefix).append(id); }

std::optional<std::string> session_id_of(std::string_view name) {
  if (!name.starts_with(prefix)) {
    return std::nullopt;
  }
  const std::string_view id = name.substr(prefix.size());
  if (!is_valid_session_id(id)) {
    return std::nullopt;
  }
  return std::string(id);
}

bool is_valid_session_id(std::string_view id) {
  const auto lower = [](char c) { return c >= 'a' && c <= 'z'; };
  return id.size() >= 4 && id.size() <= 63 && lower(id.front()) &&
         std::ranges::all_of(
             id, [&](char c) { return lower(c) || (c >= '0' && c <= '9') || c == '-'; });
}

std::string random_hex(int count) {
  std::string text;
  while (text.size() < static_cast<std::size_t>(count)) {
    std::array<unsigned char, 16> bytes{};
    // getrandom(2) gives up to 256 bytes whole once the kernel is seeded, and blocks before that.
    if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
      std::abort();  // Without randomness every token could be guessed.
    }
    for (const unsigned char byte : bytes) {
      constexpr std::string_view digits = "0123456789abcdef";
      text += digits[byte >> 4U];
      text += digits[byte & 15U];
    }
  }
  text.resize(static_cast<std::size_t>(count));
  return text;
}

std::string new_session_id() { return "s-" + random_hex(12); }

}  // namespace sluice::session
