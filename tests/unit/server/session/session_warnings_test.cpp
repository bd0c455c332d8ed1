// SPDX-License-Identifier: Apache-2.0
// Oracle: sums made by hand, and what sessions.proto says of limits.
#include "server/session/session_warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::session {
namespace {

v1::FrameStatistics frame_with(v1::WarningKind kind, const std::string& body, double value) {
  v1::FrameStatistics statistics;
  v1::Warning& warning = *statistics.add_warnings();
  warning.set_kind(kind);
  warning.set_body(body);
  warning.set_value(value);
  warning.set_message("words");
  return statistics;
}

TEST(SessionWarnings, sum_up_by_kind_and_body) {
  SessionWarnings warnings;
  EXPECT_FALSE(warnings.add(1, {}));
  EXPECT_TRUE(warnings.add(2, frame_with(v1::WARNING_KIND_NOT_CONVERGED, "water", 3)));
  EXPECT_TRUE(warnings.add(4, frame_with(v1::WARNING_KIND_NOT_CONVERGED, "water", 7)));
  EXPECT_TRUE(warnings.add(5, frame_with(v1::WARNING_KIND_NOT_CONVERGED, "oil", 1)));
  EXPECT_TRUE(warnings.add(9, frame_with(v1::WARNING_KIND_NOT_CONVERGED, "water", 5)));
  ASSERT_EQ(warnings.all().size(), 2);
  const v1::SessionWarning& water = warnings.all()[0];
  EXPECT_EQ(water.warning().value(), 7);
  EXPECT_EQ(water.first_frame_index(), 2);
  EXPECT_EQ(water.last_frame_index(), 9);
  EXPECT_EQ(water.frame_count(), 3);
}

TEST(SessionWarnings, count_a_frame_that_is_computed_again_once) {
  SessionWarnings warnings;
  EXPECT_TRUE(warnings.add(3, frame_with(v1::WARNING_KIND_NOT_CONVERGED, "water", 3)));
  SessionWarnings again(warnings.serialize());
  EXPECT_FALSE(again.add(3, frame_with(v1::WARNING_KIND_NOT_CONVERGED, "water", 3)));
  ASSERT_EQ(again.all().size(), 1);
  EXPECT_EQ(again.all()[0].frame_count(), 1);
}

TEST(SessionWarnings, end_a_session_at_its_limits) {
  const v1::RunOptions defaults;
  SessionWarnings warnings;
  const auto a_little = frame_with(v1::WARNING_KIND_VOLUME_LOST, "water", 0.24);
  const auto much = frame_with(v1::WARNING_KIND_VOLUME_LOST, "water", 0.25);
  EXPECT_FALSE(warnings.limit_reached(1, a_little, defaults));
  EXPECT_THAT(warnings.limit_reached(1, much, defaults).value_or(""),
              testing::HasSubstr("frame 1: the warning of \"water\" reached 0.25"));
  v1::RunOptions never;
  never.add_failure_limits()->set_kind(v1::WARNING_KIND_VOLUME_LOST);
  EXPECT_FALSE(warnings.limit_reached(1, much, never));

  v1::RunOptions thrice;
  v1::FailureLimit& limit = *thrice.add_failure_limits();
  limit.set_kind(v1::WARNING_KIND_NOT_CONVERGED);
  limit.set_frame_count(3);
  for (const int index : {1, 2, 3}) {
    const auto statistics = frame_with(v1::WARNING_KIND_NOT_CONVERGED, "", 1);
    warnings.add(index, statistics);
    EXPECT_EQ(warnings.limit_reached(index, statistics, thrice).has_value(), index == 3);
    EXPECT_FALSE(warnings.limit_reached(index, statistics, defaults));
  }
}

}  // namespace
}  // namespace sluice::session
