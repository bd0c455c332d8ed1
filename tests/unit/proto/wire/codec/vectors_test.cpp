// SPDX-License-Identifier: Apache-2.0
// The wire must not change in silence: what the encoder writes is, byte for byte, what the vectors
// have, from which the browser's decoder is tested too.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "vectors.h"

namespace sluice::codec {
namespace {

TEST(CodecVectors, are_what_the_encoder_writes) {
  std::ifstream file(CODEC_VECTORS, std::ios::binary);
  ASSERT_TRUE(file) << CODEC_VECTORS;
  const std::string stored((std::istreambuf_iterator<char>(file)), {});
  EXPECT_TRUE(stored == make_vectors())
      << "the wire format changed; see tests/data/codec/README.md";
}

}  // namespace
}  // namespace sluice::codec
