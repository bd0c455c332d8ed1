// SPDX-License-Identifier: Apache-2.0

// Scenes made to cost much. What a user would lose: the server, to one request. The oracle is
// ctest's timeout and the memory limit that each test sets itself.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <string>

#include "server/convert/scene_load.h"

namespace sluice::convert {
namespace {

constexpr scene::Limits limits{.particle_count = 5'000'000,
                               .vertex_count = 100'000,
                               .triangle_count = 200'000,
                               .frame_count = 100'000,
                               .grid_cell_count = 1'000'000'000};

LoadedScene load(const std::string& json, const std::string& mesh = "") {
  ParsedScene parsed = parse_scene(json);
  const auto assets = [&](std::string_view) -> Result<AssetFile> {
    return AssetFile{"mesh.obj", mesh};
  };
  return load_scene(parsed.scene, assets, limits, std::move(parsed.problems));
}

std::string repeat(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i)
    all += text;
  return all;
}

const std::string domain = R"("domain": {"lower": [-50, -50, -50], "upper": [50, 50, 50]}, )";

bool tells(const LoadedScene& loaded, const std::string& path, const std::string& text) {
  for (const scene::Problem& problem : loaded.problems) {
    if (problem.path == path && problem.message.find(text) != std::string::npos) return true;
  }
  return false;
}

class HostileScene : public testing::Test {
 protected:
  void SetUp() override {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    const rlimit memory{std::size_t{2} << 30, std::size_t{2} << 30};
    ASSERT_EQ(setrlimit(RLIMIT_AS, &memory), 0);
#endif
  }
};

TEST_F(HostileScene, millions_of_problems_are_bounded) {
  const LoadedScene loaded =
      load("{" + domain + "\"cloths\": [" + repeat("{\"x\": 0, \"y\": 0},", 200'000) + "]}");
  EXPECT_LE(loaded.problems.size(), scene::most_problems);
  EXPECT_GT(loaded.problems.size(), 900U);
}

TEST_F(HostileScene, many_large_grids_share_one_limit) {
  const LoadedScene loaded = load(
      "{" + domain + "\"cloths\": [" +
      repeat(R"({"name": "a", "grid": {"size": [1, 1], "vertices": [300, 300]}},)", 256) + "]}");
  EXPECT_TRUE(tells(loaded, "cloths[1].grid.vertices", "are allowed"));
}

TEST_F(HostileScene, many_pins_on_many_vertices) {
  const LoadedScene loaded = load(
      "{" + domain +
      R"("cloths": [{"name": "a", "grid": {"size": [1, 1], "vertices": [300, 300]}, "pins": [)" +
      repeat(R"({"region": {"half_space": {}, "transform": {"translation": [0, 0, 9]}}},)", 1024) +
      "]}]}");
  EXPECT_FALSE(loaded.runnable());
  std::size_t held = 0;
  for (const scene::Pin& pin : loaded.scene.cloths.at(0).pins)
    held += pin.vertices.size();
  EXPECT_LE(held, 300U * 300U);
}

TEST_F(HostileScene, many_obstacles_under_many_vertices) {
  std::string json = "{" + domain +
                     R"("cloths": [{"name": "a", "grid": {"size": [1, 1], "vertices": [300, 300]}}],
                        "obstacles": [)";
  for (int i = 0; i < 1024; ++i) {
    json += R"({"name": "o)" + std::to_string(i) +
            R"(", "shape": {"half_space": {}, "transform": {"translation": [0, 0, -1]}}},)";
  }
  EXPECT_TRUE(load(json + "]}").runnable());  // 92 million pairs: large, but no more than that.
}

TEST_F(HostileScene, a_pile_of_triangles_in_one_place) {
  std::string mesh;
  for (int i = 0; i < 30'000; ++i) {
    // Steps of 1e-7 up at one corner and down at another: all boxes overlap, no two corners meet.
    const std::string up = "0." + std::to_string(10'000'000 + i).substr(1);
    const std::string down = "0." + std::to_string(10'030'000 - i).substr(1);
    mesh += "v 0 0 " + up + "\nv 1 0 " + down + "\nv 0 1 " + up + "\n";
  }
  for (int i = 0; i < 30'000; ++i) {
    mesh += "f " + std::to_string(3 * i + 1) + " " + std::to_string(3 * i + 2) + " " +
            std::to_string(3 * i + 3) + "\n";
  }
  const LoadedScene loaded =
      load("{" + domain + R"("cloths": [{"name": "a", "mesh": "m"}]})", mesh);
  EXPECT_TRUE(tells(loaded, "cloths", "too many triangles overlap"));
}

TEST_F(HostileScene, thousands_of_shapes_with_one_surface) {
  const std::string ball = R"({"sphere": {"radius": 40}})";
  std::string json = "{" + domain + R"("fluid_grid": {"cell_size": 0.11}, "fluids": [)";
  for (int i = 0; i < 64; ++i) {
    json += R"({"name": "f)" + std::to_string(i) + R"(", "regions": [)" + repeat(ball + ",", 64) +
            "]},";
  }
  json += R"(], "obstacles": [)";
  for (int i = 0; i < 1024; ++i) {
    json += R"({"name": "o)" + std::to_string(i) + R"(", "shape": )" + ball + "},";
  }
  EXPECT_FALSE(load(json + "]}").runnable());
}

TEST_F(HostileScene, a_triangle_as_large_as_the_domain_in_a_fluid_as_large_as_the_limit) {
  const LoadedScene loaded = load("{" + domain + R"("fluid_grid": {"cell_size": 0.2},
           "fluids": [{"name": "f", "regions": [{"sphere": {"radius": 8}}]}],
           "cloths": [{"name": "a", "mesh": "m"}]})",
                                  "v -49 -49 -49\nv 49 -49 -48\nv 0 49 49\nf 1 2 3\n");
  EXPECT_TRUE(loaded.runnable());
  EXPECT_GT(loaded.particle_count, 2'000'000);
}

TEST_F(HostileScene, a_million_values_and_a_long_text) {
  EXPECT_FALSE(load("{\"gravity\": [" + repeat("0,", 900'000) + "]}").runnable());
  EXPECT_TRUE(tells(load(std::string(max_scene_bytes + 1, ' ')), "", "at most"));
}

}  // namespace
}  // namespace sluice::convert
