// SPDX-License-Identifier: Apache-2.0
// Smoke on cells of many sizes, by the real binaries. Oracles: the same scene on equal cells; an
// undisturbed run of one thread.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstddef>
#include <string>
#include <vector>

#include "tests/e2e/session_frames.h"

namespace sluice::e2e::adaptive_gas_test {
namespace {

constexpr std::int64_t frame_count = 24;

/// Hot smoke that rises in a box; cells of a fiftieth of a metre, or of `adaptive` sizes.
v1::Scene plume(const std::string& adaptive, int dimensions) {
  return scene_of(R"({
    "domain": {"lower": [-0.64, -0.64, 0], "upper": [0.64, 0.64, 1.92], "open_sides": ["SIDE_Z_UPPER"]},
    "timing": {"frames_per_second": 30},
    "fluid_grid": {"cell_size": 0.02)" +
                  adaptive + R"(, "dimensions": )" + std::to_string(dimensions) + R"(},
    "gas": {"name": "air", "carries": ["CARRIED_SMOKE", "CARRIED_TEMPERATURE"],
      "vorticity_confinement": 0.2, "cooling": 0.1,
      "sources": [{"shape": {"sphere": {"radius": 0.12}, "transform": {"translation": [0.02, 0, 0.25]}},
                   "content": {"smoke": 1, "temperature": 450}}]}})");
}

class AdaptiveGas : public testing::Test {
 protected:
  v1::Session end_of(const std::string& name) {
    return wait_until(
        server, name,
        [](const v1::Session& s) {
          return s.state() == v1::SESSION_STATE_SUCCEEDED || s.state() == v1::SESSION_STATE_FAILED;
        },
        std::chrono::seconds(240));
  }

  std::string run(const v1::Scene& scene, int thread_count) {
    v1::CreateSessionRequest request = create_request(scene, frame_count);
    request.mutable_session()->mutable_options()->set_thread_count(thread_count);
    const std::string name = create(server, request).name();
    const v1::Session end = end_of(name);
    EXPECT_EQ(end.state(), v1::SESSION_STATE_SUCCEEDED) << end.message();
    return name;
  }

  TemporaryDirectory data;
  ServerProcess server{
      data.path(),
      {"--worker", (binary_directory() / "sluice-worker").string(), "--threads-per-session", "2"}};
};

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

TEST_F(AdaptiveGas, has_the_same_bytes_with_one_thread_two_threads_and_a_killed_worker) {
  const v1::Scene scene = plume(R"(, "adaptive": {})", 3);
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
