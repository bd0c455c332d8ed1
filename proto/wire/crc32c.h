// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sluice::wire {

/// Returns the CRC32C (Castagnoli, reflected polynomial 0x82F63B78) of `bytes`, continuing `seed`,
/// the CRC32C of earlier bytes: `crc32c(b, crc32c(a))` is the CRC of a followed by b.
///
/// Source: RFC 3720 appendix B.4 (and its test vectors); the three interleaved streams and their
/// joining as in Gopal et al., "Fast CRC Computation for iSCSI Polynomial Using CRC32 Instruction",
/// Intel, 2011. Uses the SSE4.2 instruction where the build's -march has it, else a table.
[[nodiscard]] std::uint32_t crc32c(std::span<const std::byte> bytes,
                                   std::uint32_t seed = 0) noexcept;

}  // namespace sluice::wire
