// SPDX-License-Identifier: Apache-2.0
#include "client/lib/crc32c.h"

#include <gtest/gtest.h>

#include <string>

namespace sluice::client {
namespace {

// Oracle: RFC 3720, appendix B.4.
TEST(Crc32c, GivesTheRfcsValues) {
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);
  EXPECT_EQ(crc32c(std::string(32, '\xFF')), 0x62A8AB43U);
  std::string rising;
  for (char c = 0; c < 32; ++c) {
    rising += c;
  }
  EXPECT_EQ(crc32c(rising), 0x46DD794EU);
  EXPECT_EQ(crc32c(std::string(rising.rbegin(), rising.rend())), 0x113FDB5CU);
}

TEST(Crc32c, GivesTheUsualCheckValueAndZeroForNothing) {
  EXPECT_EQ(crc32c("123456789"), 0xE3069283U);  // Oracle: the check value of the CRC catalogue.
  EXPECT_EQ(crc32c(""), 0U);
}

}  // namespace
}  // namespace sluice::client
