// SPDX-License-Identifier: Apache-2.0
#include "sluice/frame.h"

#include <gtest/gtest.h>

namespace sluice::client {
namespace {

Frame make_frame() {
  return {0,
          0,
          0.0,
          {{"water", v1::FIELD_POSITION, 1, 3, {1.0F, 2.0F, 3.0F}},
           {"water", v1::FIELD_VELOCITY, 1, 3, {-0.5F, 0.0F, 0.25F}}},
          {}};
}

// Oracle: python3 -c "import hashlib, struct;
//   print(hashlib.sha256(struct.pack('<6f', 1, 2, 3, -.5, 0, .25)).hexdigest())"
TEST(Digest, is_the_sha_of_the_floats_in_order) {
  EXPECT_EQ(digest(make_frame()),
            "55344a9f639e65f43dc478d7bb4ad2902c4f9b506543da2304371cc2f3dc6905");
}

TEST(Digest, sees_one_bit) {
  Frame frame = make_frame();
  frame.arrays[1].values[1] = -0.0F;
  EXPECT_NE(digest(frame), digest(make_frame()));
}

// Oracle: FIPS 180-4, the hash of no bytes.
TEST(Digest, of_an_empty_frame_is_that_of_no_bytes) {
  EXPECT_EQ(digest(Frame{}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Frame, finds_arrays_by_body_and_field) {
  const Frame frame = make_frame();
  EXPECT_EQ(frame.values("water", v1::FIELD_VELOCITY)[2], 0.25F);
  EXPECT_TRUE(frame.values("sheet", v1::FIELD_POSITION).empty());
}

}  // namespace
}  // namespace sluice::client
