// SPDX-License-Identifier: Apache-2.0
// What people reported of the incompressible liquid, through the real server and its worker: each
// test is a case of the field's reports, shortened to a few seconds. Oracles: rates times times,
// and free fall.
#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <numbers>
#include <set>

#include "tests/e2e/cli_process.h"
#include "tests/e2e/particle_files.h"
#include "tests/e2e/server_process.h"

namespace sluice::e2e::liquid_cases_test {
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
TEST_F(LiquidCases, emitter_under_water_brings_its_flux) {
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
TEST_F(LiquidCases, emitter_in_a_full_tank_says_that_it_is_blocked) {
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
TEST_F(LiquidCases, drops_fall_from_the_ceiling_and_from_undersides) {
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

// Case 41: honey over a flat box, which it covers and runs down from. The jet slowed down and broke
// where it left its pipe, and the rest tore into strings: 35 of 880 columns half a cell wide were
// empty, and 9 of 392 places of a cell in the sheet.
TEST_F(LiquidCases, honey_stays_one_body_without_holes_where_it_is_stretched) {
  constexpr double cell = 0.0075, radius = 0.07, top = 0.06, seconds = 54.0 / 24;
  const std::filesystem::path path = data.path() / "honey.json", out = data.path() / "out";
  std::ofstream(path) << R"({
    "domain": {"lower": [-0.12, -0.12, 0], "upper": [0.12, 0.12, 0.24], "wall": "WALL_CONDITION_NO_SLIP"},
    "timing": {"frame_count": 54, "frames_per_second": 24},
    "fluid_grid": {"cell_size": 0.0075, "solver": "FLUID_SOLVER_INCOMPRESSIBLE"},
    "fluids": [{"name": "honey", "density": 1400, "dynamic_viscosity": 20, "emitters": [{
      "velocity": [0, 0, -0.4], "shape": {"cylinder": {"radius": 0.015, "length": 0.02},
                                          "transform": {"translation": [0, 0, 0.22]}}}]}],
    "obstacles": [{"name": "pancake", "wall": "WALL_CONDITION_NO_SLIP", "shape": {
      "cylinder": {"radius": 0.07, "length": 0.02}, "transform": {"translation": [0, 0, 0.05]}}}]
  })";
  const CliEnd end = sluice_command({"run", path.string(), "-o", out.string(), "--format", "ply",
                                     "--web", "off", "--threads", "2"},
                                    "sluice-worker");
  ASSERT_EQ(end.exit_code, 0) << end.error;
  for (const char* const frame : {"000009", "000018", "000027", "000036", "000045", "000054"}) {
    const std::vector<Point> points = points_of(out / ("honey_" + std::string(frame) + ".ply"));
    EXPECT_GT(largest_body(points, 1.5F * static_cast<float>(cell)),
              0.99 * static_cast<double>(points.size()))
        << frame;
  }
  const std::vector<Point> points = points_of(out / "honey_000054.ply");
  const double flux = std::numbers::pi * 0.015 * 0.015 * 0.4;
  EXPECT_NEAR(static_cast<double>(points.size()) * std::pow(cell / 2, 3), flux * seconds,
              0.02 * flux * seconds);
  // On the box by columns half a cell wide, beside it by how far around and how high.
  std::set<std::array<int, 2>> columns, in_sheet;
  const int around = static_cast<int>(2 * std::numbers::pi * radius / cell);
  for (const auto& [x, y, z] : points) {
    if (z > top)
      columns.insert(
          {static_cast<int>(std::floor(2 * x / cell)), static_cast<int>(std::floor(2 * y / cell))});
    const double turn = std::atan2(y, x) / (2 * std::numbers::pi) + 0.5;
    if (std::hypot(x, y) > 0.7 * radius && z < top)
      in_sheet.insert(
          {static_cast<int>(turn * around) % around, static_cast<int>(std::floor(z / cell))});
  }
  int empty_columns = 0, holes = 0;
  const int reach = static_cast<int>(2 * 0.9 * radius / cell);
  for (int i = -reach; i < reach; ++i) {
    for (int j = -reach; j < reach; ++j) {
      if (std::hypot(i + 0.5, j + 0.5) < reach) empty_columns += columns.contains({i, j}) ? 0 : 1;
    }
  }
  for (int i = 0; i < around; ++i) {
    for (int k = 1; k < 8; ++k)
      holes += in_sheet.contains({i, k}) ? 0 : 1;
  }
  EXPECT_LE(empty_columns, 2);
  EXPECT_EQ(holes, 0);
}

}  // namespace
}  // namespace sluice::e2e::liquid_cases_test
