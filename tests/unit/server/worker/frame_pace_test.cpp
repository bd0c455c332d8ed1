// SPDX-License-Identifier: Apache-2.0
// Oracle: by hand.
#include "server/worker/frame_pace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::worker {
namespace {

TEST(FramePace, tells_of_a_frame_that_takes_a_hundred_times_as_long) {
  FramePace pace;
  for (const double seconds : {0.1, 0.05, 0.2, 0.1}) {
    EXPECT_FALSE(pace.add(seconds));
  }
  EXPECT_FALSE(pace.add(9.9));
  const auto warning = pace.add(25);
  ASSERT_TRUE(warning);
  EXPECT_EQ(warning->kind(), v1::WARNING_KIND_SLOW_FRAME);
  EXPECT_EQ(warning->value(), 25);
  EXPECT_DOUBLE_EQ(warning->limit(), 10);
  EXPECT_THAT(warning->message(), testing::HasSubstr("took 25 s"));
  EXPECT_THAT(warning->message(), testing::HasSubstr("took 0.1 s"));
  EXPECT_FALSE(pace.add(0.1)) << "the next frame is as quick as before";
  EXPECT_TRUE(pace.add(25)) << "and a few slow ones do not make slowness usual";
}

TEST(FramePace, frames_that_get_slower_bit_by_bit_are_no_warning) {
  FramePace pace;
  for (double seconds = 0.01; seconds < 100; seconds *= 1.1) {
    EXPECT_FALSE(pace.add(seconds)) << seconds;
  }
}

TEST(FramePace, quick_frames_may_wait_a_second_for_a_busy_machine) {
  FramePace pace;
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(pace.add(1e-3));
  }
  EXPECT_FALSE(pace.add(0.99));
  EXPECT_TRUE(pace.add(1.01));
}

TEST(FramePace, the_first_frames_have_nothing_to_be_compared_with) {
  FramePace pace;
  EXPECT_FALSE(pace.add(1e-3));
  EXPECT_FALSE(pace.add(50));
  EXPECT_FALSE(pace.add(1e-3));
  EXPECT_TRUE(pace.add(50));
}

TEST(FramePace, forgets_how_a_scene_began) {
  FramePace pace;
  for (int i = 0; i < 70; ++i) {
    EXPECT_FALSE(pace.add(0.02));
  }
  int told = 0;
  for (int i = 0; i < 70; ++i) {
    told += pace.add(3) ? 1 : 0;
  }
  EXPECT_EQ(told, 32) << "until half of the last 64 frames are as slow";
}

}  // namespace
}  // namespace sluice::worker
