// SPDX-License-Identifier: Apache-2.0
// Water with larger cells deep below its surface, by the real binaries. Oracles: the same scene on
// equal cells; the volume told; an undisturbed run of one thread.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <numbers>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/e2e/cli_process.h"
#include "tests/e2e/session_frames.h"

namespace sluice::e2e::adaptive_liquid_test {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t frame_count = 12;
constexpr double cell = 0.025, edge_of_tank = 0.8, depth = 0.6;

/// A drop above a tank, with cells of 25 mm, or of `adaptive` sizes.
std::string tank(const std::string& adaptive, int dimensions) {
  return R"({
    "domain": {"lower": [0, 0, 0], "upper": [0.8, 0.8, 1.2]},
    "timing": {"frames_per_second": 30, "frame_count": 12},
    "fluid_grid": {"cell_size": 0.025, "solver": "FLUID_SOLVER_INCOMPRESSIBLE")" +
         adaptive + R"(, "dimensions": )" + std::to_string(dimensions) + R"(},
    "fluids": [{"name": "water", "regions": [
      {"box": {"size": [0.8, 0.8, 0.6]}, "transform": {"translation": [0.4, 0.4, 0.3]}},
      {"sphere": {"radius": 0.1}, "transform": {"translation": [0.4, 0.4, 0.75]}}]}]
  })";
}

const std::string of_many_sizes = R"(, "adaptive": {"levels": 4})";

using AdaptiveLiquid = SolverSessions<frame_count>;

/// [m] How high the water is in columns of cells, away from the walls: of its highest particle, but
/// for those that fly.
std::vector<double> heights(const client::Frame& frame) {
  constexpr int columns = 8;
  std::array<std::vector<double>, columns> found;
  const auto x = frame.values("water", v1::FIELD_POSITION);
  for (std::size_t i = 0; i + 2 < x.size(); i += 3) {
    const int column = static_cast<int>(static_cast<double>(x[i]) / edge_of_tank * columns);
    found.at(static_cast<std::size_t>(std::clamp(column, 0, columns - 1)))
        .push_back(static_cast<double>(x[i + 2]));
  }
  std::vector<double> heights;
  for (std::vector<double>& column : found) {
    std::ranges::sort(column);
    heights.push_back(column.at(column.size() - 1 - column.size() / 50));
  }
  return heights;
}

TEST_F(AdaptiveLiquid, takes_a_drop_as_on_equal_cells_with_fewer_particles) {
  for (const int dimensions : {2, 3}) {
    const auto equal = frames_of(server, run(scene_of(tank("", dimensions)), 2));
    const auto adaptive = frames_of(server, run(scene_of(tank(of_many_sizes, dimensions)), 2));
    const std::vector<double> expected = heights(equal.at(frame_count));
    const std::vector<double> found = heights(adaptive.at(frame_count));
    double off = 0;
    for (std::size_t i = 0; i < expected.size(); ++i)
      off += std::abs(found[i] - expected[i]) / static_cast<double>(expected.size());
    EXPECT_LT(off, cell / 2) << dimensions;
    // Volume: particles and what they would be in larger cells.
    const v1::FrameStatistics& end = *adaptive.at(frame_count).statistics;
    const auto all = static_cast<double>(equal.at(frame_count).statistics->particle_count());
    EXPECT_NEAR(static_cast<double>(end.particle_count() + end.interior_count()), all, 0.005 * all);
    EXPECT_LT(static_cast<double>(adaptive.at(1).statistics->particle_count()), 0.8 * all);
    EXPECT_TRUE(end.warnings().empty())
        << (end.warnings().empty() ? "" : end.warnings(0).message());
    EXPECT_NEAR(end.potential_energy(), equal.at(frame_count).statistics->potential_energy(),
                0.01 * end.potential_energy());
  }
}

// Cells of the frame are those that the statistics count, and no particle is in one.
TEST_F(AdaptiveLiquid, says_where_its_cells_without_particles_are) {
  const std::string name = run(scene_of(tank(of_many_sizes, 3)), 2);
  const auto frames = frames_of(server, name);
  std::int64_t balance = frames.at(0).arrays.empty() ? 0 : frames.at(0).arrays.front().count;
  for (const auto& [index, frame] : frames) {
    const auto cells = frame.values("water", v1::FIELD_INTERIOR_CELL);
    ASSERT_EQ(cells.size() % 4, 0U);
    if (index == 0) continue;
    const v1::FrameStatistics& statistics = *frame.statistics;
    balance += statistics.settled_count();
    EXPECT_EQ(balance, statistics.particle_count()) << index;
    std::vector<std::int64_t> counts(4);
    double volume = 0;
    for (std::size_t i = 0; i < cells.size(); i += 4) {
      const double edge = static_cast<double>(cells[i + 3]);
      ++counts.at(static_cast<std::size_t>(std::lround(std::log2(edge / cell))));
      volume += edge * edge * edge;
      EXPECT_LT(static_cast<double>(cells[i + 2]) + edge / 2, depth);
    }
    ASSERT_EQ(statistics.cell_counts_size(), 4);
    for (int k = 1; k < 4; ++k)
      EXPECT_EQ(statistics.cell_counts(k), counts[static_cast<std::size_t>(k)]) << index;
    const double of_particle = cell * cell * cell / 8;
    EXPECT_NEAR(volume / of_particle, static_cast<double>(statistics.interior_count()), 1);
  }
  EXPECT_GT(frames.at(frame_count).statistics->interior_count(), 0);
  // Exact whatever codec is asked for, though particles are not.
  client::FrameStream rounded(client::Connection(server.address()),
                              {.session = name, .codec = v1::CODEC_Q16_PLANES_ZSTD});
  while (const auto frame = rounded.next()) {
    const auto cells = frame->values("water", v1::FIELD_INTERIOR_CELL);
    EXPECT_TRUE(
        std::ranges::equal(cells, frames.at(frame->index).values("water", v1::FIELD_INTERIOR_CELL)))
        << frame->index;
  }
}

TEST_F(AdaptiveLiquid, has_the_same_bytes_with_one_thread_two_threads_and_a_killed_worker) {
  const v1::Scene scene = scene_of(tank(of_many_sizes, 3));
  const FrameContents expected = read_existing(server, run(scene, 1));
  ASSERT_EQ(expected.size(), frame_count + 1);
  EXPECT_EQ(read_existing(server, run(scene, 2)), expected);

  v1::CreateSessionRequest request = create_request(scene, frame_count);
  request.mutable_session()->mutable_options()->set_checkpoint_interval_frames(4);
  const std::string name = create(server, request).name();
  const v1::Session session = wait_until(server, name, [](const v1::Session& s) {
    return s.frame_count() > 6 && s.worker_pid() != 0;
  });
  ASSERT_EQ(kill(static_cast<pid_t>(session.worker_pid()), SIGKILL), 0);
  const v1::Session end = end_of(name);
  EXPECT_EQ(end.state(), v1::SESSION_STATE_SUCCEEDED) << end.message();
  EXPECT_EQ(end.restart_count(), 1);
  EXPECT_EQ(read_existing(server, name), expected);
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// [m^3] The volume that the triangles of a PLY mesh enclose, with binary floats and int lists.
double volume_of(const fs::path& ply, bool& is_closed) {
  const std::string text = text_of(ply);
  const std::size_t end = text.find("end_header\n");
  std::istringstream head(text.substr(0, end));
  std::size_t vertices = 0, faces = 0, floats = 0;
  std::string element;
  for (std::string line; std::getline(head, line);) {
    std::istringstream words(line);
    std::string first, second;
    words >> first >> second;
    if (first == "element") {
      element = second;
      words >> (second == "vertex" ? vertices : faces);
    } else if (first == "property" && element == "vertex") {
      ++floats;
    }
  }
  const char* at = text.data() + end + std::string("end_header\n").size();
  std::vector<std::array<float, 3>> points(vertices);
  for (auto& point : points) {
    std::memcpy(point.data(), at, sizeof point);
    at += 4 * floats;
  }
  std::map<std::pair<std::int32_t, std::int32_t>, int> edges;
  double six_volumes = 0;
  for (std::size_t face = 0; face < faces; ++face) {
    std::array<std::int32_t, 3> corners;
    std::memcpy(corners.data(), at + 1, sizeof corners);
    at += 1 + sizeof corners;
    const auto& a = points.at(static_cast<std::size_t>(corners[0]));
    const auto& b = points.at(static_cast<std::size_t>(corners[1]));
    const auto& c = points.at(static_cast<std::size_t>(corners[2]));
    six_volumes += static_cast<double>(a[0] * (b[1] * c[2] - b[2] * c[1]) +
                                       a[1] * (b[2] * c[0] - b[0] * c[2]) +
                                       a[2] * (b[0] * c[1] - b[1] * c[0]));
    for (std::size_t i = 0; i < 3; ++i)
      ++edges[{corners[i], corners[(i + 1) % 3]}];
  }
  is_closed = std::ranges::all_of(edges, [&](const auto& edge) {
    const auto other = edges.find({edge.first.second, edge.first.first});
    return other != edges.end() && other->second == edge.second;
  });
  return six_volumes / 6;
}

// Without what fills the larger cells the surface would have another inside it.
TEST_F(AdaptiveLiquid, is_written_with_a_closed_surface_around_all_of_it) {
  TemporaryDirectory folder;
  const fs::path scene = folder.path() / "tank.json";
  std::ofstream(scene) << tank(of_many_sizes, 3);
  const fs::path out = folder.path() / "out";
  const CliEnd end = sluice_command({"run", scene.string(), "--frames", "4", "-o", out.string(),
                                     "--surface", "mesh", "--format", "ply"},
                                    "sluice-worker");
  ASSERT_EQ(end.exit_code, 0) << end.error;
  bool is_closed = false;
  const double volume = volume_of(out / "water.surface_000004.ply", is_closed);
  EXPECT_TRUE(is_closed);
  const double expected =
      edge_of_tank * edge_of_tank * depth + 4.0 / 3 * std::numbers::pi * 0.1 * 0.1 * 0.1;
  EXPECT_NEAR(volume, expected, 0.03 * expected);

  const fs::path vtk = folder.path() / "vtk";
  const CliEnd again =
      sluice_command({"run", scene.string(), "--frames", "2", "-o", vtk.string()}, "sluice-worker");
  ASSERT_EQ(again.exit_code, 0) << again.error;
  EXPECT_THAT(text_of(vtk / "water.interior_000002.vtu"),
              testing::AllOf(testing::HasSubstr("UnstructuredGrid"), testing::HasSubstr("edge")));
  EXPECT_TRUE(fs::exists(vtk / "water.interior.pvd"));
}

}  // namespace
}  // namespace sluice::e2e::adaptive_liquid_test
