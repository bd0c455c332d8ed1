// SPDX-License-Identifier: Apache-2.0
#include "client/cli/output.h"

#include <gtest/gtest.h>

#include <limits>

#include "client/cli/message_json.h"
#include "client/cli/progress.h"
#include "sluice/v1/server.pb.h"

namespace sluice::cli {
namespace {

TEST(MessageJson, keeps_names_and_makes_numbers_of_integers) {
  v1::Session session;
  session.set_name("sessions/a");
  session.set_state(v1::SESSION_STATE_RUNNING);
  session.set_frame_count(57);
  session.set_worker_pid(4'000'000'000);
  session.mutable_create_time()->set_seconds(0);
  session.mutable_options()->set_frame_count(120);
  const auto json = to_json(session);
  EXPECT_EQ(json["name"], "sessions/a");
  EXPECT_EQ(json["state"], "SESSION_STATE_RUNNING");
  EXPECT_TRUE(json["frame_count"].is_number_integer());
  EXPECT_EQ(json["frame_count"], 57);
  EXPECT_EQ(json["worker_pid"], 4'000'000'000);
  EXPECT_EQ(json["stored_byte_count"], 0);  // Printed though it is 0.
  EXPECT_EQ(json["options"]["frame_count"], 120);
  EXPECT_EQ(json["create_time"], "1970-01-01T00:00:00Z");
  EXPECT_FALSE(json.contains("lease_expire_time"));
}

TEST(MessageJson, writes_infinity_as_protobuf_does) {
  v1::FrameStatistics statistics;
  statistics.set_smallest_gap(std::numeric_limits<double>::infinity());
  EXPECT_EQ(to_json(statistics)["smallest_gap"], "Infinity");
}

TEST(FormatTable, pads_all_but_the_last_column) {
  EXPECT_EQ(format_table({{"a", "bb", "c"}, {"aaa", "b", "cccc"}}), "a    bb  c\naaa  b   cccc");
  EXPECT_EQ(format_table({}), "");
}

TEST(FormatDuration, says_it_as_people_do) {
  EXPECT_EQ(format_duration(0.04), "0.0 s");
  EXPECT_EQ(format_duration(9.94), "9.9 s");
  EXPECT_EQ(format_duration(9.96), "10 s");
  EXPECT_EQ(format_duration(59.7), "1 min 00 s");
  EXPECT_EQ(format_duration(185), "3 min 05 s");
  EXPECT_EQ(format_duration(7620), "2 h 07 min");
  EXPECT_EQ(format_duration(-1), "?");
  EXPECT_EQ(format_duration(std::numeric_limits<double>::infinity()), "?");
}

TEST(FormatBytes, changes_the_unit_before_a_thousand) {
  EXPECT_EQ(format_bytes(999), "999 B");
  EXPECT_EQ(format_bytes(1000), "1.0 kB");
  EXPECT_EQ(format_bytes(999'949), "999.9 kB");
  EXPECT_EQ(format_bytes(999'951), "1.0 MB");
  EXPECT_EQ(format_bytes(12'345'678), "12.3 MB");
}

TEST(ShortName, is_for_people) {
  EXPECT_EQ(short_name(v1::SESSION_STATE_SUCCEEDED), "succeeded");
  EXPECT_EQ(short_name(v1::SESSION_REASON_DISK_FULL), "disk full");
  EXPECT_EQ(short_name(v1::SESSION_REASON_UNSPECIFIED), "");
}

TEST(Progress, says_frame_rate_and_time_left) {
  EXPECT_EQ(format_progress({57, 120, 12.3}), "frame 57/120 (47 %), 12.3 frames/s, 5.1 s left");
  EXPECT_EQ(format_progress({57, 120, 0}), "frame 57/120 (47 %)");
  EXPECT_EQ(format_progress({120, 120, 12}), "frame 120/120 (100 %), 12 frames/s");
  EXPECT_EQ(format_progress({3, 0, 0}), "frame 3");
}

TEST(Progress, bar_fills_and_never_wraps) {
  EXPECT_EQ(format_progress_bar({60, 120, 0}, 80),
            "[####################....................] frame 60/120 (50 %)");
  for (int width = 1; width < 120; ++width) {
    EXPECT_LT(format_progress_bar({57, 120, 12.3}, width).size(), static_cast<std::size_t>(width));
  }
  EXPECT_EQ(format_progress_bar({200, 120, 0}, 80).find('.'), std::string::npos);
}

}  // namespace
}  // namespace sluice::cli
