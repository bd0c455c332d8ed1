// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace sluice::client {

/// Semantic version of this library, as `0.1.0`.
[[nodiscard]] std::string_view version() noexcept;

}  // namespace sluice::client
