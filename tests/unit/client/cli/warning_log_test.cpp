// SPDX-License-Identifier: Apache-2.0
#include "client/cli/warning_log.h"

#include <gtest/gtest.h>

namespace sluice::cli {
namespace {

client::Frame frame(std::int64_t index, const std::string& body, double value) {
  client::Frame made{0, index, 0.0, {}, v1::FrameStatistics()};
  v1::Warning& warning = *made.statistics->add_warnings();
  warning.set_kind(v1::WARNING_KIND_NOT_CONVERGED);
  warning.set_body(body);
  warning.set_message("residual too large");
  warning.set_value(value);
  warning.set_limit(0.001);
  return made;
}

TEST(WarningLog, tells_each_kind_and_body_once) {
  WarningLog log;
  EXPECT_EQ(log.add(frame(3, "water", 0.1)),
            (std::vector<std::string>{"warning: frame 3: water: residual too large"}));
  EXPECT_TRUE(log.add(frame(4, "water", 0.5)).empty());
  EXPECT_TRUE(log.add(frame(9, "water", 0.2)).empty());
  EXPECT_EQ(log.add(frame(9, "", 0.2)),
            (std::vector<std::string>{"warning: frame 9: residual too large"}));
  const auto warnings = log.warnings();
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_EQ(warnings[0].frame_count(), 3);
  EXPECT_EQ(warnings[0].warning().value(), 0.5) << "the worst one";
  EXPECT_EQ(in_words(warnings[0]), "frames 3 to 9 (3 of them): water: residual too large");
  EXPECT_EQ(in_words(warnings[1]), "frame 9: residual too large");
}

TEST(WarningLog, takes_the_servers_sums) {
  WarningLog log;
  (void)log.add(frame(3, "water", 0.1));
  v1::Session session;
  v1::SessionWarning& sum = *session.add_warnings();
  *sum.mutable_warning() = frame(5, "water", 0.7).statistics->warnings(0);
  sum.set_first_frame_index(2);
  sum.set_last_frame_index(5);
  sum.set_frame_count(4);
  EXPECT_TRUE(log.add(session).empty()) << "told already";
  ASSERT_EQ(log.warnings().size(), 1U);
  EXPECT_EQ(in_words(log.warnings()[0]), "frames 2 to 5: water: residual too large");
  EXPECT_TRUE(log.add(session).empty());
  EXPECT_EQ(WarningLog().add(session).size(), 1U);
}

TEST(WarningLog, counts_in_words) {
  EXPECT_EQ(warning_count_in_words(1), "1 warning");
  EXPECT_EQ(warning_count_in_words(2), "2 warnings");
}

}  // namespace
}  // namespace sluice::cli
