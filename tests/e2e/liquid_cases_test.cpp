// SPDX-License-Identifier: Apache-2.0
// What people reported of the incompressible liquid, through the real server and its worker: each
// test is a case of the field's reports, shortened to a few seconds. Oracles: rates times times,
// and free fall.
#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/e2e/server_process.h"

namespace sluice::e2e {
namespace {

class LiquidCases : public testing::Test {
 protected:
  // The statistics of all frames but that of the start.
  std::vector<v1::FrameStatistics> run(const std::string& json, std::int64_t frame_count) {
    v1::Scene scene;
    EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(json, &scene).ok());
    const std::string name = create(server, create_request(scene, frame_count)).name();
    const v1::Session end = wait_until(
        server, name,
        [](const v1::Session& s) {
          return s.state() == v1::SESSION_STATE_SUCCEEDED || s.state() == v1::SESSION_STATE_FAILED;
        },
        std::chrono::seconds(120));
    EXPECT_EQ(end.state(), v1::SESSION_STATE_SUCCEEDED) << end.message();
    std::vector<v1::FrameStatistics> all;
    for (std::int64_t index = 1; index <= frame_count; ++index) {
      v1::GetFrameRequest request;
      request.set_session(name);
      request.mutable_cursor()->set_index(index);
      v1::Frame frame;
      grpc::ClientContext context;
      const grpc::Status status = server.frames->Get(&context, request, &frame);
      EXPECT_TRUE(status.ok()) << status.error_message();
      all.push_back(frame.header().statistics());
    }
    return all;
  }

  TemporaryDirectory data;
  ServerProcess server{data.path(), {"--worker", (binary_directory() / "sluice-worker").string()}};
};

// Case 16: an emitter of 1 m/s and 0.0201 m^3/s, under 0.3 m of water. It brought 16 % of that.
TEST_F(LiquidCases, EmitterUnderWaterBringsItsFlux) {
  const auto frames = run(R"({
    "domain": {"lower": [0, 0, 0], "upper": [0.4, 0.4, 1.2]}, "timing": {"frames_per_second": 30},
    "fluid_grid": {"cell_size": 0.025, "solver": "FLUID_SOLVER_INCOMPRESSIBLE"},
    "fluids": [{"name": "water",
      "regions": [{"box": {"size": [0.4, 0.4, 0.3]}, "transform": {"translation": [0.2, 0.2, 0.15]}}],
      "emitters": [{"name": "jet", "velocity": [0, 0, 1], "shape": {
        "cylinder": {"radius": 0.08, "length": 0.06}, "transform": {"translation": [0.2, 0.2, 0.05]}}}]}]
  })",
                          30);
  double count = 0;
  for (const v1::FrameStatistics& frame : frames) {
    count += static_cast<double>(frame.emitted_count());
    EXPECT_EQ(frame.warnings_size(), 0);
  }
  const double flux = std::numbers::pi * 0.08 * 0.08;
  EXPECT_NEAR(count * std::pow(0.0125, 3), flux, 0.02 * flux);  // After one second.
}

// A vessel that is full and shut has no room for what an emitter brings: it stands, and says so.
TEST_F(LiquidCases, EmitterInAFullTankSaysThatItIsBlocked) {
  const auto frames = run(R"({
    "domain": {"lower": [0, 0, 0], "upper": [0.4, 0.4, 0.4]}, "timing": {"frames_per_second": 30},
    "fluid_grid": {"cell_size": 0.025, "solver": "FLUID_SOLVER_INCOMPRESSIBLE"},
    "fluids": [{"name": "water",
      "regions": [{"box": {"size": [0.4, 0.4, 0.4]}, "transform": {"translation": [0.2, 0.2, 0.2]}}],
      "emitters": [{"name": "jet", "velocity": [0, 0, 1], "shape": {
        "cylinder": {"radius": 0.08, "length": 0.06}, "transform": {"translation": [0.2, 0.2, 0.05]}}}]}]
  })",
                          4);
  for (const v1::FrameStatistics& frame : frames) {
    EXPECT_EQ(frame.emitted_count(), 0);
    ASSERT_EQ(frame.warnings_size(), 1);
    EXPECT_EQ(frame.warnings(0).kind(), v1::WARNING_KIND_EMITTER_BLOCKED);
    EXPECT_THAT(frame.warnings(0).message(), testing::HasSubstr("\"jet\""));
  }
}

// Case 43: a drop under the ceiling, and one under a shelf.
TEST_F(LiquidCases, DropsFallFromTheCeilingAndFromUndersides) {
  const auto frames = run(R"({
    "domain": {"lower": [0, 0, 0], "upper": [0.4, 0.4, 1]}, "timing": {"frames_per_second": 50},
    "fluid_grid": {"cell_size": 0.02, "solver": "FLUID_SOLVER_INCOMPRESSIBLE"},
    "obstacles": [{"name": "shelf", "shape": {"box": {"size": [0.2, 0.4, 0.1]},
                                              "transform": {"translation": [0.1, 0.2, 0.85]}}}],
    "fluids": [{"name": "water", "regions": [
      {"box": {"size": [0.0199, 0.0199, 0.0199]}, "transform": {"translation": [0.3, 0.2, 0.99]}},
      {"box": {"size": [0.0199, 0.0199, 0.0199]}, "transform": {"translation": [0.1, 0.2, 0.79]}}]}]
  })",
                          10);
  const double mass = 2 * 8 * 1000 * std::pow(0.01, 3), speed = 9.81 * 0.2;
  EXPECT_NEAR(frames.back().momentum(2), -mass * speed, 0.01 * mass * speed);
}

}  // namespace
}  // namespace sluice::e2e
