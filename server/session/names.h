// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sluice::session {

/// Returns `sessions/{id}`.
[[nodiscard]] std::string session_name(std::string_view id);

/// Returns the id in `sessions/{id}`, or nothing if `name` has another form.
[[nodiscard]] std::optional<std::string> session_id_of(std::string_view name);

/// Whether a client may choose `id`: 4 to 63 of a-z, 0-9 and `-`, starting with a letter.
[[nodiscard]] bool is_valid_session_id(std::string_view id);

/// Returns `count` hexadecimal digits from the system's random source; 32 cannot be guessed.
[[nodiscard]] std::string random_hex(int count);

/// Makes an id for a session whose client chose none: `s-` and 12 hexadecimal digits.
[[nodiscard]] std::string new_session_id();

}  // namespace sluice::session
