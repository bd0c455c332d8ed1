// SPDX-License-Identifier: Apache-2.0
// Oracle: frames changed by hand.
#include "client/cli/frame_difference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

namespace sluice::cli {
namespace {

using testing::HasSubstr;

client::Frame make_frame() {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  return {0,
          12,
          0.5,
          {{"water", v1::FIELD_POSITION, 2, 3, {0, 1, 2, 3, 4, 5}},
           {"water", v1::FIELD_PRESSURE, 2, 1, {nan, 7}}},
          {},
          {{"wall", {0, 0, 1}}}};
}

TEST(FirstDifference, is_none_for_the_same_bits_whatever_the_statistics) {
  client::Frame again = make_frame();
  again.statistics.emplace().set_solve_seconds(3);
  EXPECT_EQ(first_difference(make_frame(), again), std::nullopt);
}

TEST(FirstDifference, names_frame_field_body_and_row) {
  const struct {
    std::function<void(client::Frame&)> change;
    const char* words;
  } cases[] = {
      {[](client::Frame& f) { f.arrays[0].values[4] = 4.5F; },
       "frame 12: position of \"water\" differs first in row 1: 4 as stored, 4.5"},
      {[](client::Frame& f) { f.arrays[0].values[0] = -0.0F; }, "row 0: 0 as stored, -0 "},
      {[](client::Frame& f) { f.arrays[1].values[1] = 7.0000005F; }, "pressure of \"water\""},
      {[](client::Frame& f) { f.arrays.pop_back(); }, "other bodies or fields"},
      {[](client::Frame& f) { f.arrays[1].body = "oil"; }, "other bodies or fields"},
      {[](client::Frame& f) { f.time_seconds = 0.25; }, "0.5 s as stored and 0.25 s"},
      {[](client::Frame& f) { f.index = 13; }, "frame 12 of epoch 0 has become frame 13"},
      {[](client::Frame& f) { f.obstacle_offsets[0].offset[2] = 2; }, "obstacles are elsewhere"},
      {[](client::Frame& f) { f.obstacle_offsets.clear(); }, "obstacles are elsewhere"},
  };
  for (const auto& c : cases) {
    client::Frame again = make_frame();
    c.change(again);
    const auto found = first_difference(make_frame(), again);
    ASSERT_TRUE(found) << c.words;
    EXPECT_THAT(*found, HasSubstr(c.words));
  }
}

}  // namespace
}  // namespace sluice::cli
