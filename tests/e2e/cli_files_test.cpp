// SPDX-License-Identifier: Apache-2.0
// Bodies from mesh files, from the file to its frames with real processes: every kind of body in
// every format that it takes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/e2e/cli_process.h"
#include "tests/e2e/surface_files.h"

namespace sluice::e2e {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct BodyKind {
  const char* field;  ///< Of Scene.
  std::vector<MeshFile> files;
};

/// What takes which formats, as scene.proto says.
std::vector<BodyKind> body_kinds() {
  const std::vector<MeshFile> cubes = surface_files(cube(0.5F));
  std::vector<MeshFile> soft = volume_files();
  soft.insert(soft.end(), cubes.begin(), cubes.end());
  return {
      {"cloths", surface_files(sheet(0.5F, 3))}, {"soft_bodies", soft}, {"rigid_bodies", cubes}};
}

/// Writes the files, and a scene with a body of each, side by side in the air.
fs::path write_scene_of_files(const fs::path& folder, const BodyKind& kind) {
  json bodies = json::array();
  for (const MeshFile& file : kind.files) {
    std::ofstream(folder / file.name, std::ios::binary) << file.bytes;
    json body;
    body["name"] = "body_" + std::to_string(bodies.size());
    body["mesh"] = file.name;
    body["transform"]["translation"] = {2.0 * static_cast<double>(bodies.size()), 0, 0};
    const bool is_filled =
        kind.field == std::string("soft_bodies") &&
        (file.name.ends_with("obj") || file.name.ends_with("ply") || file.name.ends_with("stl"));
    if (is_filled) {
      body["element_size"] = 0.25;
    }
    bodies.push_back(std::move(body));
  }
  const json scene = {{"domain", {{"lower", {-2, -2, -2}}, {"upper", {60, 3, 3}}}},
                      {"timing", {{"frame_count", 1}, {"frames_per_second", 1000}}},
                      {kind.field, bodies}};
  const fs::path path = folder / "scene.json";
  std::ofstream(path) << scene.dump(1);
  return path;
}

// Symptom: `validate` called the scene valid, and `run` failed with "the asset is missing" for all
// but cloths, in every format: the list of files for the worker forgot two kinds of bodies (case
// 00).
TEST(CliFiles, RunsEveryKindOfBodyFromEveryFormat) {
  for (const BodyKind& kind : body_kinds()) {
    const TemporaryDirectory folder;
    const fs::path scene = write_scene_of_files(folder.path(), kind);
    const fs::path out = folder.path() / "out";
    const CliEnd end = sluice_command(
        {"run", scene.string(), "-o", out.string(), "--threads", "1", "--web", "off", "--json"},
        "sluice-worker");
    ASSERT_EQ(end.exit_code, 0) << kind.field << ": " << end.error;
    EXPECT_EQ(json::parse(end.out)["session"]["frame_count"], 2);
    for (std::size_t i = 0; i < kind.files.size(); ++i) {
      const fs::path frame = out / ("body_" + std::to_string(i) + "_000001.vtp");
      EXPECT_TRUE(fs::exists(frame)) << kind.field << " from " << kind.files[i].name;
    }
  }
}

TEST(CliFiles, SubmitsEveryKindOfBodyFromEveryFormat) {
  const TemporaryDirectory data;
  ServerProcess server(data.path(), {"--worker", (binary_directory() / "sluice-worker").string()});
  for (const BodyKind& kind : body_kinds()) {
    const TemporaryDirectory folder;
    const fs::path scene = write_scene_of_files(folder.path(), kind);
    const CliEnd submitted =
        sluice_command({"--server", server.address(), "submit", scene.string(), "--json"});
    ASSERT_EQ(submitted.exit_code, 0) << kind.field << ": " << submitted.error;
    const std::string name = json::parse(submitted.out).at("name");
    const CliEnd watched = sluice_command({"--server", server.address(), "watch", name, "--json"});
    EXPECT_EQ(watched.exit_code, 0) << kind.field << ": " << watched.out << watched.error;
  }
}

}  // namespace
}  // namespace sluice::e2e
