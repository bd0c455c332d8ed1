// SPDX-License-Identifier: Apache-2.0
#include "client/cli/export/base64.h"

namespace sluice::cli {

void append_base64(std::string& text, std::string_view bytes) {
  constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::size_t begin = text.size();
  text.resize(begin + (bytes.size() + 2) / 3 * 4, '=');
  char* out = text.data() + begin;
  const auto byte = [&](std::size_t i) -> unsigned {
    return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U;
  };
  for (std::size_t i = 0; i < bytes.size(); i += 3, out += 4) {
    const unsigned group = byte(i) << 16U | byte(i + 1) << 8U | byte(i + 2);
    out[0] = digits[group >> 18U];
    out[1] = digits[group >> 12U & 63U];
    if (i + 1 < bytes.size()) {
      out[2] = digits[group >> 6U & 63U];
    }
    if (i + 2 < bytes.size()) {
      out[3] = digits[group & 63U];
    }
  }
}

}  // namespace sluice::cli
