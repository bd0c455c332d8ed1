// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sluice::web {

/// `bytes` as a gzip file (RFC 1952). Throws std::bad_alloc alone.
[[nodiscard]] std::string gzip(std::string_view bytes);

}  // namespace sluice::web
