// SPDX-License-Identifier: Apache-2.0
// Water of FLUID_SOLVER_MPM as people met it, with the real server and worker. Oracles: the flux
// of an emitter, free fall, rest, and the side of a wall that water was put on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "tests/e2e/server_process.h"
#include "tests/e2e/session_frames.h"

namespace sluice::e2e {
namespace {

using testing::HasSubstr;

class MpmCases : public testing::Test {
 protected:
  /// All frames of a session that must succeed.
  std::map<std::int64_t, client::Frame> run(const v1::Scene& scene, std::int64_t frame_count,
                                            bool certify = false) {
    v1::CreateSessionRequest request = create_request(scene, frame_count);
    request.mutable_session()->mutable_options()->set_certify(certify);
    session = create(server, request);
    session = wait_for_state(server, session.name(), v1::SESSION_STATE_SUCCEEDED);
    return frames_of(server, session.name());
  }

  TemporaryDirectory data;
  ServerProcess server{data.path(), {"--worker", (binary_directory() / "sluice-worker").string()}};
  v1::Session session;
};

// Field case 16: an inflow stopped when it was covered.
TEST_F(MpmCases, AnEmitterUnderWaterDeliversItsFlux) {
  const auto frames = run(scene_of(R"({
    "domain": {"lower": [0, 0, 0], "upper": [0.4, 0.4, 1.2]},
    "timing": {"frames_per_second": 30},
    "fluid_grid": {"cell_size": 0.025},
    "fluids": [{"name": "water",
      "regions": [{"box": {"size": [0.4, 0.4, 0.3]}, "transform": {"translation": [0.2, 0.2, 0.15]}}],
      "emitters": [{"name": "jet", "velocity": [0, 0, 1],
        "shape": {"cylinder": {"radius": 0.08, "length": 0.06},
                  "transform": {"translation": [0.2, 0.2, 0.05]}}}]}]})"),
                          30);
  std::int64_t emitted = 0;
  for (const auto& [index, frame] : frames)
    emitted += frame.statistics ? frame.statistics->emitted_count() : 0;
  const double flux = std::numbers::pi * 0.08 * 0.08 * 1;
  EXPECT_NEAR(static_cast<double>(emitted) * std::pow(0.0125, 3), flux, 0.02 * flux);
  EXPECT_EQ(session.warnings_size(), 0);
}

TEST_F(MpmCases, AnEmitterThatIsBlockedSaysSo) {
  run(scene_of(R"({
    "domain": {"lower": [0, 0, 0], "upper": [0.4, 0.4, 0.4]},
    "timing": {"frames_per_second": 30},
    "fluid_grid": {"cell_size": 0.05},
    "fluids": [{"name": "water",
      "regions": [{"box": {"size": [1, 1, 1]}, "transform": {"translation": [0.2, 0.2, 0.2]}}],
      "emitters": [{"name": "jet", "velocity": [0, 0, 1],
        "shape": {"sphere": {"radius": 0.08}, "transform": {"translation": [0.2, 0.2, 0.2]}}}]}]})"),
      20);
  ASSERT_EQ(session.warnings_size(), 1);
  EXPECT_EQ(session.warnings(0).warning().kind(), v1::WARNING_KIND_EMITTER_BLOCKED);
  EXPECT_EQ(session.warnings(0).warning().body(), "water");
  EXPECT_THAT(session.warnings(0).warning().message(), HasSubstr("\"jet\""));
}

TEST_F(MpmCases, AnEmitterInsideAnObstacleIsRefused) {
  const auto scene = scene_of(R"({
    "domain": {"lower": [0, 0, 0], "upper": [0.4, 0.4, 1.2]},
    "fluid_grid": {"cell_size": 0.025},
    "obstacles": [{"name": "block", "shape": {"box": {"size": [0.3, 0.3, 0.3]},
                   "transform": {"translation": [0.2, 0.2, 0.2]}}}],
    "fluids": [{"name": "water", "emitters": [{"name": "jet", "velocity": [0, 0, 1],
        "shape": {"sphere": {"radius": 0.08}, "transform": {"translation": [0.2, 0.2, 0.2]}}}]}]})");
  try {
    create(server, create_request(scene, 1));
    FAIL() << "it was taken";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("inside obstacles"));
  }
}

// Field case 43: drops hung on the ceiling and the walls.
TEST_F(MpmCases, ADropFallsFromTheCeiling) {
  const auto frames = run(scene_of(R"({
    "domain": {"lower": [0, 0, 0], "upper": [0.4, 0.4, 1]},
    "timing": {"frames_per_second": 50},
    "fluid_grid": {"cell_size": 0.02},
    "fluids": [{"name": "water",
      "regions": [{"box": {"size": [0.02, 0.02, 0.02]}, "transform": {"translation": [0.21, 0.21, 0.99]}}]}]})"),
                          10);
  const double fallen = mean_place(frames.at(0), 2) - mean_place(frames.at(10), 2);
  const double expected = 9.81 / 2 * 0.2 * 0.2;
  EXPECT_NEAR(fallen, expected, 0.01 * expected);
}

// Field case 21: 9 to 65 % of the water went through 0.2 mm.
TEST_F(MpmCases, NothingGoesThroughAThinWall) {
  constexpr int frame_count = 8;  // It meets the wall in the third.
  for (const std::string thickness : {"0.01", "0.0002"}) {
    SCOPED_TRACE(thickness + " m");
    const auto frames = run(scene_of(R"({
      "domain": {"lower": [0, 0, 0], "upper": [0.8, 0.2, 0.5]},
      "timing": {"frames_per_second": 30},
      "fluid_grid": {"cell_size": 0.02},
      "obstacles": [{"name": "wall", "shape": {"box": {"size": [)" +
                                     thickness + R"(, 1, 1]},
        "transform": {"translation": [0.403, 0.1, 0.25]}}}],
      "fluids": [{"name": "water", "velocity": [1, 0, 0],
        "regions": [{"box": {"size": [0.3, 0.2, 0.35]}, "transform": {"translation": [0.15, 0.1, 0.175]}}]}]})"),
                            frame_count, true);
    const auto x = frames.at(frame_count).values("water", v1::FIELD_POSITION);
    ASSERT_FALSE(x.empty());
    for (std::size_t i = 0; i < x.size(); i += 3)
      ASSERT_LT(x[i], 0.403F);
    for (const auto& [index, frame] : frames) {
      if (frame.statistics) {
        EXPECT_EQ(frame.statistics->certificate().crossing_count(), 0);
      }
    }
  }
}

}  // namespace
}  // namespace sluice::e2e
