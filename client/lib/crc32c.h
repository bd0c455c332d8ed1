// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace sluice::client {

/// CRC32C (Castagnoli, reflected polynomial 0x82F63B78) of `bytes`: RFC 3720, appendix B.4.
[[nodiscard]] std::uint32_t crc32c(std::string_view bytes) noexcept;

}  // namespace sluice::client
