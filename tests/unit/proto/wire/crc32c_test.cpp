// SPDX-License-Identifier: Apache-2.0
#include "proto/wire/crc32c.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace sluice::wire {
namespace {

// Bit by bit from the polynomial.
std::uint32_t slow_crc32c(std::span<const std::byte> bytes) {
  std::uint32_t crc = ~0U;
  for (const std::byte byte : bytes) {
    crc ^= static_cast<std::uint32_t>(byte);
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1U) != 0 ? 0x82F63B78U : 0U);
    }
  }
  return ~crc;
}

// RFC 3720, appendix B.4.
TEST(Crc32c, agrees_with_the_rfcs_examples) {
  std::vector<std::byte> bytes(32);
  EXPECT_EQ(crc32c(bytes), 0x8A9136AAU);
  std::fill(bytes.begin(), bytes.end(), std::byte{0xFF});
  EXPECT_EQ(crc32c(bytes), 0x62A8AB43U);
  for (std::size_t i = 0; i < 32; ++i) {
    bytes[i] = static_cast<std::byte>(i);
  }
  EXPECT_EQ(crc32c(bytes), 0x46DD794EU);
  EXPECT_EQ(crc32c({}), 0U);
}

// Lengths around the block of three streams, at any alignment, whole and in two pieces.
TEST(Crc32c, agrees_with_the_definition_at_any_length) {
  std::mt19937 random(3);
  std::vector<std::byte> bytes(10'000);
  for (std::byte& byte : bytes) {
    byte = static_cast<std::byte>(random());
  }
  for (const std::size_t size : {1, 7, 8, 9, 1023, 3071, 3072, 3073, 6143, 6144, 9999}) {
    for (const std::size_t offset : {0, 1}) {
      const auto view = std::span<const std::byte>(bytes).subspan(offset, size);
      const std::uint32_t expected = slow_crc32c(view);
      ASSERT_EQ(crc32c(view), expected) << size;
      const std::size_t cut = random() % size;
      ASSERT_EQ(crc32c(view.subspan(cut), crc32c(view.first(cut))), expected) << size;
    }
  }
}

}  // namespace
}  // namespace sluice::wire
