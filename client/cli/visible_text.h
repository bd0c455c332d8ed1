// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sluice::cli {

/// Text from outside (names, messages, paths) as a terminal may have it: every character that acts
/// instead of being seen is written out as `\x1b` or `\u202e`. These are the control characters of
/// ASCII, line ends included, those of Latin-1 (C1: a terminal takes U+009B for ESC [), those that
/// turn the direction of text, and bytes that are no UTF-8.
[[nodiscard]] std::string visible(std::string_view text);

/// The same for text of several lines: its line feeds stay.
[[nodiscard]] std::string visible_lines(std::string_view text);

/// A word as a shell takes it: within single quotes where it has more than letters, digits and
/// `_@%+=:,./-`.
[[nodiscard]] std::string shell_word(const std::string& text);

}  // namespace sluice::cli
