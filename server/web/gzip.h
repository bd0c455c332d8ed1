// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sluice::web {

/// Compresses `bytes` into a gzip file (RFC 1952). Throws nothing but std::bad_alloc.
[[nodiscard]] std::string gzip(std::string_view bytes);

}  // namespace sluice::web
