// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sluice::cli {

/// Appends `bytes` in base64 (RFC 4648, section 4), with padding.
void append_base64(std::string& text, std::string_view bytes);

}  // namespace sluice::cli
