// SPDX-License-Identifier: Apache-2.0
// Oracle: the examples of FIPS 180-4, and of the empty message.
#include "proto/wire/sha256.h"

#include <gtest/gtest.h>

#include <span>
#include <string_view>

namespace sluice::wire {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

TEST(Sha256, agrees_with_the_standards_examples) {
  EXPECT_EQ(sha256_hex(bytes_of("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex({}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256, is_the_same_of_pieces) {
  Sha256 hash;
  hash.update(bytes_of("a"));
  hash.update({});
  hash.update(bytes_of("bc"));
  EXPECT_EQ(hash.finish_hex(), sha256_hex(bytes_of("abc")));
}

TEST(Sha256, knows_its_own_form) {
  EXPECT_TRUE(is_sha256_hex(sha256_hex({})));
  EXPECT_FALSE(is_sha256_hex(""));
  EXPECT_FALSE(is_sha256_hex(
      std::string_view("BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD")));
}

}  // namespace
}  // namespace sluice::wire
