// SPDX-License-Identifier: Apache-2.0
#include "client/lib/crc32c.h"

#include <array>
#include <cstddef>
#include <cstring>

#ifdef __SSE4_2__
#include <nmmintrin.h>
#endif

namespace sluice::client {
namespace {

constexpr std::uint32_t polynomial = 0x82F63B78U;

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t value = 0; value < 256; ++value) {
    std::uint32_t crc = value;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1U) != 0 ? polynomial : 0U);
    }
    table[value] = crc;
  }
  return table;
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) noexcept {
  std::uint32_t crc = ~0U;
  std::size_t i = 0;
#ifdef __SSE4_2__
  // 8 bytes every 3 cycles, about 8 GB/s: several times what gRPC delivers, so one stream is
  // enough.
  std::uint64_t wide = crc;
  for (; i + 8 <= bytes.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, 8);
    wide = _mm_crc32_u64(wide, word);
  }
  crc = static_cast<std::uint32_t>(wide);
#endif
  static constexpr auto table = make_table();
  for (; i < bytes.size(); ++i) {
    crc = table[(crc ^ static_cast<unsigned char>(bytes[i])) & 0xFFU] ^ (crc >> 8);
  }
  return ~crc;
}

}  // namespace sluice::client
