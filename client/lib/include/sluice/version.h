// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace sluice::client {

/// Returns the semantic version of this library, for example `0.1.0`.
[[nodiscard]] std::string_view version() noexcept;

}  // namespace sluice::client
