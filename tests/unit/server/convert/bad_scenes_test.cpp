// SPDX-License-Identifier: Apache-2.0

// Every file of tests/data/bad_scenes goes the whole way of a scene. The oracle is the file's own
// head: a line `// expect: PATH | TEXT` for each error and `// warn: PATH | TEXT` for each warning,
// PATH `(scene)` for the scene as a whole. Nothing that is expected may be missing, and nothing
// else may be told: an invented follow-up error misleads whoever has to fix the file.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "server/convert/scene_load.h"

namespace sluice::convert {
namespace {

const std::filesystem::path folder = SLUICE_BAD_SCENES;

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Result<AssetFile> find_mesh(std::string_view name) {
  const std::filesystem::path path = folder / "meshes" / name;
  if (!std::filesystem::exists(path)) {
    return Error{ErrorCode::invalid_mesh, "there is no file \"" + std::string(name) + "\""};
  }
  return AssetFile{std::string(name), read_file(path)};
}

struct Expectation {
  scene::Severity severity;
  std::string path;
  std::string text;
};

std::vector<Expectation> read_expectations(const std::string& text) {
  std::vector<Expectation> expectations;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line) && line.starts_with("//");) {
    const bool error = line.starts_with("// expect: ");
    if (!error && !line.starts_with("// warn: ")) continue;
    const std::size_t start = line.find(':') + 2;
    const std::size_t bar = line.find(" | ");
    EXPECT_NE(bar, std::string::npos) << line;
    std::string path = line.substr(start, bar - start);
    if (path == "(scene)") path.clear();
    expectations.push_back({error ? scene::Severity::error : scene::Severity::warning,
                            std::move(path), line.substr(bar + 3)});
  }
  return expectations;
}

std::string describe(const std::vector<scene::Problem>& problems) {
  std::ostringstream text;
  for (const scene::Problem& problem : problems) {
    text << (problem.severity == scene::Severity::error ? "  error " : "  warning ") << problem.path
         << " | " << problem.message << '\n';
  }
  return text.str();
}

class BadScenes : public testing::TestWithParam<std::string> {};

TEST_P(BadScenes, tell_exactly_what_is_wrong) {
  const std::string text = read_file(folder / (GetParam() + ".json"));
  const scene::Limits limits{.particle_count = 1'000'000,
                             .vertex_count = 100'000,
                             .triangle_count = 200'000,
                             .frame_count = 10'000,
                             .grid_cell_count = 100'000'000};
  ParsedScene parsed = parse_scene(text);
  const LoadedScene loaded =
      load_scene(parsed.scene, find_mesh, limits, std::move(parsed.problems));

  std::vector<scene::Problem> untold = loaded.problems;
  for (const Expectation& expected : read_expectations(text)) {
    const auto found =
        std::find_if(untold.begin(), untold.end(), [&](const scene::Problem& problem) {
          return problem.severity == expected.severity && problem.path == expected.path &&
                 problem.message.find(expected.text) != std::string::npos;
        });
    if (found == untold.end()) {
      ADD_FAILURE() << "missing: " << expected.path << " | " << expected.text << "\ntold:\n"
                    << describe(loaded.problems);
    } else {
      untold.erase(found);
    }
  }
  EXPECT_TRUE(untold.empty()) << "not expected:\n" << describe(untold);
  if (GetParam().starts_with("good_")) {
    EXPECT_GT(loaded.particle_count + loaded.vertex_count + loaded.cell_count, 0);
  } else {
    EXPECT_FALSE(loaded.problems.empty());
  }
}

std::vector<std::string> all_scenes() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Files, BadScenes, testing::ValuesIn(all_scenes()),
                         [](const auto& scene) { return scene.param; });

TEST(BadScenesFolder, has_at_least_sixty) { EXPECT_GE(all_scenes().size(), 60U); }

}  // namespace
}  // namespace sluice::convert
