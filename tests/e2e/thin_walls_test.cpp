// SPDX-License-Identifier: Apache-2.0
// Nothing passes through anything, however thin it is, with the real binaries. Oracles: the side of
// a wall that fluid starts on; the certificate, which shares no code with the solvers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <numbers>
#include <sstream>
#include <vector>

#include "tests/e2e/cli_process.h"
#include "tests/e2e/particle_files.h"

namespace sluice::e2e::thin_walls_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

using Triple = std::array<double, 3>;

json box(const Triple& size, const Triple& at, const Triple& rotation = {}) {
  return {{"box", {{"size", size}}},
          {"transform", {{"translation", at}, {"rotation_degrees", rotation}}}};
}

json obstacle(const json& shape) { return {{"name", "wall"}, {"shape", shape}}; }

json scene_of(const Triple& upper, double cell_size) {
  return {{"domain", {{"lower", {0, 0, 0}}, {"upper", upper}}},
          {"timing", {{"frame_count", 60}, {"frames_per_second", 30}}},
          {"fluid_grid", {{"cell_size", cell_size}}}};
}

json liquid_scene(const Triple& upper, double cell_size, const json& region) {
  json scene = scene_of(upper, cell_size);
  scene["fluid_grid"]["solver"] = "FLUID_SOLVER_INCOMPRESSIBLE";
  scene["fluids"] = {{{"name", "water"}, {"regions", json::array({region})}}};
  return scene;
}

/// Hot smoke in the left part of a box that is open on the left.
json smoke_scene() {
  json scene = scene_of({1, 0.24, 0.48}, 0.02);
  scene["domain"]["open_sides"] = {"SIDE_X_LOWER"};
  json source = {{"shape", {{"sphere", {{"radius", 0.08}}}}},
                 {"content", {{"smoke", 1}, {"temperature", 600}}}};
  source["shape"]["transform"]["translation"] = {0.25, 0.12, 0.12};
  scene["gas"] = {{"name", "air"},
                  {"carries", {"CARRIED_SMOKE", "CARRIED_TEMPERATURE"}},
                  {"sources", json::array({source})}};
  return scene;
}

/// A ball of `rows` x 2 `rows` faces around the origin, as an OBJ file.
std::string ball_mesh(double radius, int rows) {
  std::ostringstream mesh;
  const int columns = 2 * rows;
  mesh << "v 0 0 " << -radius << '\n';
  for (int row = 1; row < rows; ++row) {
    const double up = std::numbers::pi * row / rows;
    for (int column = 0; column < columns; ++column) {
      const double around = 2 * std::numbers::pi * column / columns;
      mesh << "v " << radius * std::sin(up) * std::cos(around) << ' '
           << radius * std::sin(up) * std::sin(around) << ' ' << -radius * std::cos(up) << '\n';
    }
  }
  mesh << "v 0 0 " << radius << '\n';
  const int top = 2 + (rows - 1) * columns;
  for (int column = 0; column < columns; ++column) {
    const int next = (column + 1) % columns, last = top - columns;
    mesh << "f 1 " << 2 + next << ' ' << 2 + column << '\n';
    mesh << "f " << top << ' ' << last + column << ' ' << last + next << '\n';
    for (int row = 1; row < rows - 1; ++row) {
      const int low = 2 + (row - 1) * columns, high = low + columns;
      mesh << "f " << low + column << ' ' << low + next << ' ' << high + next << '\n'
           << "f " << low + column << ' ' << high + next << ' ' << high + column << '\n';
    }
  }
  return mesh.str();
}

/// The smoke of each frame of the session in `data`, by cell.
std::vector<std::vector<float>> read_smoke(const fs::path& data, const std::string& session) {
  ServerProcess server(data.string());
  v1::StreamFramesRequest request;
  request.set_session(session);
  request.set_existing_only(true);
  request.mutable_selection()->add_fields(v1::FIELD_SMOKE);
  grpc::ClientContext context;
  const auto stream = server.frames->Stream(&context, request);
  std::vector<std::vector<float>> frames;
  v1::StreamFramesResponse message;
  while (stream->Read(&message)) {
    if (message.has_header()) frames.emplace_back();
    if (!message.has_chunk()) continue;
    const std::string& bytes = message.chunk().data();
    std::vector<float>& smoke = frames.back();
    smoke.resize(std::max(smoke.size(), (message.chunk().offset() + bytes.size()) / sizeof(float)));
    std::memcpy(reinterpret_cast<char*>(smoke.data()) + message.chunk().offset(), bytes.data(),
                bytes.size());
  }
  return frames;
}

class ThinWalls : public testing::Test {
 protected:
  /// Runs a scene for so many frames with its certificate; files are those of the last run.
  void run(const json& scene, int frames) {
    const fs::path path = folder.path() / "scene.json";
    std::ofstream(path) << scene.dump();
    fs::remove_all(out);
    const std::string format = scene.contains("gas") ? "vtk" : "ply";
    const CliEnd end =
        sluice_command({"run", path.string(), "-o", out.string(), "--format", format, "--frames",
                        std::to_string(frames), "--certify", "--web", "off", "--threads", "2"},
                       "sluice-worker");
    frame = frames;
    ASSERT_EQ(end.exit_code, 0) << end.error;
    EXPECT_THAT(end.error, HasSubstr(", 0 crossings"));
    EXPECT_THAT(end.error, Not(HasSubstr("may go through")));
    EXPECT_THAT(end.error, Not(HasSubstr("volume")));
    said = end.error;
  }

  /// How many particles of the last frame are not where `is_inside` says.
  [[nodiscard]] std::size_t astray(const std::function<bool(const Point&)>& is_inside) const {
    std::string number = std::to_string(frame);
    number.insert(0, 6 - number.size(), '0');
    const std::vector<Point> points = points_of(out / ("water_" + number + ".ply"));
    EXPECT_FALSE(points.empty());
    return static_cast<std::size_t>(
        std::count_if(points.begin(), points.end(), std::not_fn(is_inside)));
  }

  TemporaryDirectory folder;
  fs::path out = folder.path() / "out";
  int frame = 0;
  std::string said;  // By the last run, on its standard error.
};

TEST_F(ThinWalls, hold_water_however_thin_they_are) {
  for (const double thickness : {0.04, 0.01, 0.002, 0.0002}) {
    SCOPED_TRACE(thickness);
    json scene = liquid_scene({0.8, 0.2, 0.5}, 0.02, box({0.38, 0.2, 0.35}, {0.19, 0.1, 0.175}));
    scene["obstacles"] = json::array({obstacle(box({thickness, 1, 1}, {0.403, 0.1, 0.25}))});
    run(scene, 12);
    EXPECT_EQ(astray([](const Point& x) { return x[0] < 0.403F; }), 0U);
  }
}

// Case 21: water that comes to rest against a wall. The energy of what next to nothing is on, above
// its surface, was told as if it were all of a particle's: 0.24 J, 0.22 J being normal.
TEST_F(ThinWalls, give_no_energy_to_water_that_comes_to_rest) {
  for (const double thickness : {0.002, 0.0002}) {
    SCOPED_TRACE(thickness);
    const double end = 0.4 - thickness;
    json scene = liquid_scene({0.8, 0.2, 0.5}, 0.02, box({end, 0.2, 0.35}, {end / 2, 0.1, 0.175}));
    scene["obstacles"] = json::array({obstacle(box({thickness, 1, 1}, {0.403, 0.1, 0.25}))});
    run(scene, 8);
    EXPECT_THAT(said, Not(HasSubstr("energy")));
  }
}

// Case 40: a cup with walls of a fifth of a cell is tilted and poured out. While it stands all is
// inside and as deep as it was put in; what leaves it passes no wall, says the certificate, and
// does not come back.
TEST_F(ThinWalls, of_a_cup_hold_water_while_it_is_tilted) {
  const double inner = 0.08, outer = 0.084, bottom = 0.004, rim = 0.2;
  std::ofstream obj(folder.path() / "cup.obj");
  const auto ring = [&](double half, double z) {
    for (const auto& [x, y] : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 1}})
      obj << "v " << half * x << ' ' << half * y << ' ' << z << '\n';
  };
  ring(outer, 0);
  ring(outer, rim);
  ring(inner, rim);
  ring(inner, bottom);
  obj << "f 4 3 2 1\nf 13 14 15 16\n";
  for (int low = 1; low < 13; low += 4) {
    for (int side = 0; side < 4; ++side) {
      const int next = (side + 1) % 4;
      obj << "f " << low + side << ' ' << low + next << ' ' << low + next + 4 << ' '
          << low + side + 4 << '\n';
    }
  }
  obj.close();
  json scene = liquid_scene({0.8, 0.4, 0.6}, 0.02, box({0.16, 0.16, 0.12}, {0.4, 0.2, 0.314}));
  scene["timing"]["frames_per_second"] = 24;
  scene["rigid_bodies"] = {
      {{"name", "cup"},
       {"mesh", "cup.obj"},
       {"transform", {{"translation", {0.4, 0.2, 0.25}}}},
       {"script",
        {{{"time_seconds", 0.25}}, {{"time_seconds", 1}, {"rotation_degrees", {0, 110, 0}}}}}}};
  run(scene, 30);
  std::size_t inside_before = 0;
  for (frame = 3; frame <= 30; frame += 3) {
    SCOPED_TRACE(frame);
    std::string number = std::to_string(frame);
    number.insert(0, 6 - number.size(), '0');
    // From the cup's own vertices: what is in front of its rim, and what is in it.
    const std::vector<Point> cup = points_of(out / ("cup_" + number + ".ply"));
    const auto along = [&](const Point& x, std::size_t to) {
      double sum = 0, squared = 0;
      for (std::size_t a = 0; a < 3; ++a) {
        const double way = cup[to][a] - cup[0][a];
        sum += way * (x[a] - cup[0][a]);
        squared += way * way;
      }
      return sum / std::sqrt(squared);
    };
    std::size_t inside = 0, outside = 0;
    std::vector<Point> points = points_of(out / ("water_" + number + ".ply"));
    for (const Point& x : points) {
      const double right = along(x, 1), deep = along(x, 3), up = along(x, 4);
      const double wall = outer - inner - 1e-4, width = 2 * outer;
      const bool is_in = right > wall && right < width - wall && deep > wall &&
                         deep < width - wall && up > bottom - 1e-4 && up < rim;
      (is_in ? inside : outside) += 1;
    }
    if (frame <= 6) {  // Up to here it stands.
      EXPECT_EQ(outside, 0U);
      std::ranges::sort(points, {}, [](const Point& x) { return x[2]; });
      EXPECT_NEAR(points[points.size() * 99 / 100][2], 0.369, 0.01);
    }
    EXPECT_TRUE(frame == 3 || inside <= inside_before) << inside;
    inside_before = inside;
  }
  EXPECT_LT(inside_before, 500U);
}

TEST_F(ThinWalls, hold_water_where_they_lean) {
  for (const double thickness : {0.01, 0.0002}) {
    SCOPED_TRACE(thickness);
    json scene = liquid_scene({0.8, 0.2, 0.5}, 0.02, box({0.34, 0.2, 0.35}, {0.17, 0.1, 0.175}));
    scene["obstacles"] =
        json::array({obstacle(box({thickness, 2, 2}, {0.45, 0.1, 0.25}, {0, 12, 7}))});
    run(scene, 15);
    const double a = 12 * std::numbers::pi / 180, b = 7 * std::numbers::pi / 180;
    EXPECT_EQ(astray([&](const Point& x) {
                return std::cos(b) * std::cos(a) * (x[0] - 0.45) +
                           std::sin(b) * std::cos(a) * (x[1] - 0.1) - std::sin(a) * (x[2] - 0.25) <
                       0;
              }),
              0U);
  }
}

// A box of plates that meet in edges and corners, in a tank that is dry.
TEST_F(ThinWalls, hold_water_where_they_meet) {
  json scene = liquid_scene({0.4, 0.4, 0.4}, 0.02, box({0.19, 0.19, 0.12}, {0.2, 0.2, 0.17}));
  const double half = 0.1, t = 0.001;
  scene["obstacles"] = json::array({obstacle(box({0.202, 0.202, t}, {0.2, 0.2, 0.1}))});
  for (const double side : {-half, half}) {
    scene["obstacles"].push_back(obstacle(box({t, 0.202, 0.2}, {0.2 + side, 0.2, 0.2})));
    scene["obstacles"].push_back(obstacle(box({0.202, t, 0.2}, {0.2, 0.2 + side, 0.2})));
  }
  for (std::size_t n = 0; n < scene["obstacles"].size(); ++n)
    scene["obstacles"][n]["name"] = "wall_" + std::to_string(n);
  run(scene, 15);
  EXPECT_EQ(astray([](const Point& x) {
              return std::abs(x[0] - 0.2F) < 0.1F && std::abs(x[1] - 0.2F) < 0.1F && x[2] > 0.1F;
            }),
            0U);
}

TEST_F(ThinWalls, hold_smoke_however_thin_they_are) {
  for (const double thickness : {0.04, 0.01, 0.002, 0.0002}) {
    for (const double lean : {0.0, 9.0}) {
      SCOPED_TRACE(thickness);
      json scene = smoke_scene();
      scene["obstacles"] =
          json::array({obstacle(box({thickness, 1, 1.5}, {0.513, 0.12, 0.24}, {0, lean, 0}))});
      run(scene, 30);
    }
  }
}

// A figure: the closed mesh of a cloth, of which all vertices are pinned and move.
TEST_F(ThinWalls, keep_smoke_out_of_a_closed_cloth_that_moves) {
  constexpr int cells = 16;
  constexpr double radius = 0.16, speed = 0.25, rate = 24;
  json scene = scene_of({1, 1, 1}, 1.0 / cells);
  scene["timing"] = {{"frame_count", 36}, {"frames_per_second", rate}};
  json source = {{"shape", {{"sphere", {{"radius", 0.13}}}}},
                 {"content", {{"smoke", 1}, {"temperature", 450}}}};
  source["shape"]["transform"]["translation"] = {0.5, 0.5, 0.15};
  scene["gas"] = {{"name", "smoke"},
                  {"carries", {"CARRIED_SMOKE", "CARRIED_TEMPERATURE"}},
                  {"sources", json::array({source})}};
  json pin = {{"region", box({2, 2, 2}, {0.5, 0.5, 0.5})}, {"velocity", {speed, 0, 0}}};
  const Triple start{0.3, 0.5, 0.45};
  scene["cloths"] = {{{"name", "figure"},
                      {"mesh", "figure.obj"},
                      {"transform", {{"translation", start}}},
                      {"pins", json::array({pin})}}};
  std::ofstream(folder.path() / "figure.obj") << ball_mesh(radius, 10);
  const fs::path file = folder.path() / "scene.json", data = folder.path() / "data";
  std::ofstream(file) << scene.dump();
  const CliEnd end = sluice_command({"run", file.string(), "--data-dir", data.string(), "--certify",
                                     "--web", "off", "--threads", "2", "--json"},
                                    "sluice-worker");
  ASSERT_EQ(end.exit_code, 0) << end.error;
  const std::vector<std::vector<float>> frames =
      read_smoke(data, json::parse(end.out)["session"]["name"].get<std::string>());
  ASSERT_EQ(frames.size(), 37U);
  double above = 0;
  for (std::size_t n = 0; n < frames.size(); ++n) {
    ASSERT_EQ(frames[n].size(), std::size_t{cells * cells * cells});
    double inside = 0;
    above = 0;
    for (std::size_t i = 0; i < frames[n].size(); ++i) {
      const double x = (static_cast<double>(i % cells) + 0.5) / cells;
      const double y = (static_cast<double>(i / cells % cells) + 0.5) / cells;
      const double z = (static_cast<double>(i / cells / cells) + 0.5) / cells;
      const double from_middle = std::hypot(x - start[0] - speed * static_cast<double>(n) / rate,
                                            y - start[1], z - start[2]);
      const double smoke = frames[n][i];
      if (from_middle < 0.93 * radius) inside += std::abs(smoke);
      if (z > start[2] + radius) above += smoke;
    }
    EXPECT_EQ(inside, 0) << "frame " << n;
  }
  EXPECT_GT(above, 1) << "cells full of smoke";  // It has gone round it.
}

}  // namespace
}  // namespace sluice::e2e::thin_walls_test
