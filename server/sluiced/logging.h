// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "server/sluiced/settings.h"

namespace sluice::sluiced {

/// Sends the process's log to stderr: as text, or as one JSON object per line with `time`, `level`,
/// `session` (where the line is about a session) and `message`.
void set_up_logging(const std::string& level, LogFormat format);

/// Returns `text` as a JSON string, with its quotes.
[[nodiscard]] std::string json_string(std::string_view text);

}  // namespace sluice::sluiced
