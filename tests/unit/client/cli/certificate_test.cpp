// SPDX-License-Identifier: Apache-2.0
// Oracle: sums worked by hand.
#include "client/cli/certificate.h"

#include <gtest/gtest.h>

namespace sluice::cli {
namespace {

client::Frame frame(std::int64_t index, std::int64_t crossings = 0, std::int64_t jumps = 0) {
  client::Frame result{0, index, 0.1 * static_cast<double>(index), {}, {}};
  if (index > 0) {
    v1::Certificate& certificate = *result.statistics.emplace().mutable_certificate();
    certificate.set_substep_count(10);
    certificate.set_pair_count(100 * index);
    certificate.set_exact_count(index);
    certificate.set_crossing_count(crossings);
    certificate.set_jump_count(jumps);
    if (crossings > 0) {
      certificate.set_first_crossing("in frame " + std::to_string(index));
    }
  }
  return result;
}

TEST(CertificateSum, adds_up_a_clean_session) {
  CertificateSum sum;
  for (const std::int64_t index : {0, 1, 2}) {
    sum.add(frame(index));
  }
  EXPECT_TRUE(sum.is_clean());
  EXPECT_EQ(sum.frame_count(), 2);
  EXPECT_EQ(in_words(sum), "certificate: 20 substeps, 300 close pairs (3 exact), 0 crossings");
}

TEST(CertificateSum, tells_the_first_of_several_crossings) {
  CertificateSum sum;
  for (const auto& part : {frame(0), frame(1), frame(2, 3), frame(3, 1)}) {
    sum.add(part);
  }
  EXPECT_FALSE(sum.is_clean());
  EXPECT_EQ(in_words(sum),
            "certificate: 30 substeps, 600 close pairs (6 exact), 4 crossings; first in frame 2");
}

TEST(CertificateSum, is_not_clean_with_a_jump_or_a_frame_that_nobody_checked) {
  CertificateSum jumped;
  jumped.add(frame(1, 0, 2));
  EXPECT_FALSE(jumped.is_clean());
  EXPECT_EQ(in_words(jumped),
            "certificate: 10 substeps, 100 close pairs (1 exact), 0 crossings, 2 jumps");
  CertificateSum sum;
  sum.add(frame(1));
  client::Frame without = frame(2);
  without.statistics->clear_certificate();
  sum.add(without);
  EXPECT_FALSE(sum.is_complete());
  EXPECT_FALSE(sum.is_clean());
  EXPECT_EQ(in_words(sum),
            "certificate: 10 substeps, 100 close pairs (1 exact), 0 crossings; 1 of 2 "
            "frames have none");
}

}  // namespace
}  // namespace sluice::cli
