// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::convert {

/// Returns the length [bytes] of the well-formed UTF-8 sequence at the start of `text`; 0 if none.
/// [Unicode 15, table 3-7]
[[nodiscard]] std::size_t utf8_sequence(std::string_view text) noexcept;

/// Appends `code_point` in UTF-8 to `text`. Pre: it is at most 0x10FFFF and no surrogate.
void append_utf8(std::uint32_t code_point, std::string& text);

}  // namespace sluice::convert
