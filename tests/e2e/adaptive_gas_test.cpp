// SPDX-License-Identifier: Apache-2.0
// Smoke on cells of many sizes, by the real binaries. Oracles: the same scene on equal cells; an
// undisturbed run of one thread.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <string>
#include <vector>

#include "tests/e2e/session_frames.h"

namespace sluice::e2e::adaptive_gas_test {
namespace {

constexpr std::int64_t frame_count = 24;

/// Hot smoke that rises in a box; cells of a fiftieth of a metre, or of `adaptive` sizes.
v1::Scene plume(const std::string& adaptive, int dimensions, const std::string& more = "") {
  return scene_of(R"({
    "domain": {"lower": [-0.64, -0.64, 0], "upper": [0.64, 0.64, 1.92], "open_sides": ["SIDE_Z_UPPER"]},
    "timing": {"frames_per_second": 30},
    "fluid_grid": {"cell_size": 0.02)" +
                  adaptive + R"(, "dimensions": )" + std::to_string(dimensions) + R"(},
    "gas": {"name": "air", "carries": ["CARRIED_SMOKE", "CARRIED_TEMPERATURE"],
      "vorticity_confinement": 0.2, "cooling": 0.1,
      "sources": [{"shape": {"sphere": {"radius": 0.12}, "transform": {"translation": [0.02, 0, 0.25]}},
                   "content": {"smoke": 1, "temperature": 450}}]})" +
                  more + "}");
}

using AdaptiveGas = SolverSessions<frame_count>;

/// How much smoke there is, in cells, and how high its middle is, in metres.
struct Smoke {
  double amount = 0, height = 0;
};
Smoke smoke_of(const client::Frame& frame, int dimensions) {
  const auto values = frame.values("air", v1::FIELD_SMOKE);
  const std::size_t row = dimensions == 3 ? std::size_t{64} * 64 : 64;
  Smoke smoke;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<double>(values[i]);
    smoke.amount += value;
    smoke.height += 0.02 * (static_cast<double>(i / row) + 0.5) * value;
  }
  smoke.height /= smoke.amount;
  return smoke;
}

TEST_F(AdaptiveGas, rises_as_on_equal_cells) {
  for (const int dimensions : {2, 3}) {
    const auto equal = frames_of(server, run(plume("", dimensions), 2));
    const auto adaptive =
        frames_of(server, run(plume(R"(, "adaptive": {"levels": 4})", dimensions), 2));
    const Smoke expected = smoke_of(equal.at(frame_count), dimensions);
    const Smoke found = smoke_of(adaptive.at(frame_count), dimensions);
    EXPECT_NEAR(found.amount, expected.amount, 0.03 * expected.amount) << dimensions;
    EXPECT_NEAR(found.height, expected.height, 0.01) << dimensions << ": half of a finest cell";
  }
}

// The ball is in the way of all smoke.
TEST_F(AdaptiveGas, goes_around_obstacles_as_on_equal_cells) {
  const std::string ball = R"(, "obstacles": [{"name": "ball",
    "shape": {"sphere": {"radius": 0.2}, "transform": {"translation": [0.05, 0, 0.7]}}}])";
  const auto equal = frames_of(server, run(plume("", 3, ball), 2));
  const auto adaptive = frames_of(server, run(plume(R"(, "adaptive": {"levels": 4})", 3, ball), 2));
  const Smoke expected = smoke_of(equal.at(frame_count), 3);
  const Smoke found = smoke_of(adaptive.at(frame_count), 3);
  EXPECT_NEAR(found.amount, expected.amount, 0.03 * expected.amount);
  EXPECT_NEAR(found.height, expected.height, 0.01) << "half of a finest cell";
}

TEST_F(AdaptiveGas, does_not_go_through_thin_plates) {
  const std::string plate = R"(, "obstacles": [{"name": "plate",
    "shape": {"box": {"size": [3, 3, 0.0005]}, "transform": {"translation": [0, 0, 0.507]}}}])";
  for (const int dimensions : {2, 3}) {
    const auto frames =
        frames_of(server, run(plume(R"(, "adaptive": {"levels": 4})", dimensions, plate), 2));
    const auto smoke = frames.at(frame_count).values("air", v1::FIELD_SMOKE);
    const std::size_t layer = dimensions == 3 ? std::size_t{64} * 64 : 64;
    ASSERT_EQ(smoke.size(), 96 * layer);
    EXPECT_GT(*std::max_element(smoke.begin(), smoke.begin() + 25 * layer), 0.5F);
    // The plate is in the 26th layer.
    EXPECT_EQ(*std::max_element(smoke.begin() + 26 * layer, smoke.end()), 0);
  }
}

// A small cell's level says which large one it is in: counted, these are those of the statistics.
TEST_F(AdaptiveGas, says_where_its_cells_are_and_how_many) {
  const std::string levels = R"(, "output": {"fields": ["FIELD_CELL_LEVEL"]})";
  const auto frames = frames_of(
      server, run(plume(R"(, "adaptive": {"levels": 4, "max_cells": 12000})", 3, levels), 2));
  for (const auto& [index, frame] : frames) {
    std::vector<std::int64_t> counts(4);
    for (const float level : frame.values("air", v1::FIELD_CELL_LEVEL))
      ++counts.at(static_cast<std::size_t>(level));
    if (index == 0) continue;
    ASSERT_TRUE(frame.statistics);
    ASSERT_EQ(frame.statistics->cell_counts_size(), 4) << index;
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const std::int64_t count = frame.statistics->cell_counts(static_cast<int>(k));
      EXPECT_EQ(count << (3 * k), counts[k]) << "level " << k << " of frame " << index;
      sum += count;
    }
    EXPECT_LE(sum, 12000);
  }
  const auto& last = frames.at(frame_count).statistics->warnings();
  ASSERT_EQ(last.size(), 1);
  EXPECT_EQ(last[0].kind(), v1::WARNING_KIND_DETAIL_LOST);
  EXPECT_EQ(last[0].body(), "air");
  EXPECT_GT(last[0].value(), 1);
  EXPECT_THAT(last[0].message(), testing::HasSubstr("at most 12000 cells"));
}

TEST_F(AdaptiveGas, has_the_same_bytes_with_one_thread_two_threads_and_a_killed_worker) {
  const v1::Scene scene =
      plume(R"(, "adaptive": {"max_cells": 40000})", 3,
            R"(, "obstacles": [{"name": "ball", "shape": {"sphere": {"radius": 0.1},
                                     "transform": {"translation": [0, 0, 0.8]}}}])");
  const FrameContents expected = read_existing(server, run(scene, 1));
  ASSERT_EQ(expected.size(), frame_count + 1);
  EXPECT_EQ(read_existing(server, run(scene, 2)), expected);

  v1::CreateSessionRequest request = create_request(scene, frame_count);
  request.mutable_session()->mutable_options()->set_checkpoint_interval_frames(5);
  const std::string name = create(server, request).name();
  const v1::Session session = wait_until(server, name, [](const v1::Session& s) {
    return s.frame_count() > 8 && s.worker_pid() != 0;
  });
  ASSERT_EQ(kill(static_cast<pid_t>(session.worker_pid()), SIGKILL), 0);
  const v1::Session end = end_of(name);
  EXPECT_EQ(end.state(), v1::SESSION_STATE_SUCCEEDED) << end.message();
  EXPECT_EQ(end.restart_count(), 1);
  EXPECT_EQ(read_existing(server, name), expected);
}

}  // namespace
}  // namespace sluice::e2e::adaptive_gas_test
