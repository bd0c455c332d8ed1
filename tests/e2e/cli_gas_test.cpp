// SPDX-License-Identifier: Apache-2.0
// A gas from the scene to files and pictures, with the real solver, and painted into on the way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/e2e/cli_process.h"

namespace sluice::e2e::cli_gas_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

/// Smoke in two dimensions, with 32 x 64 cells, equal or `adaptive`.
std::string write_gas_scene(const fs::path& folder, const std::string& adaptive) {
  const fs::path path = folder / "gas.json";
  std::ofstream(path) << R"({
    "name": "Gas",
    "domain": {"lower": [0, 0, 0], "upper": [1, 0.1, 2]},
    "timing": {"frame_count": 30},
    "fluid_grid": {"cell_size": 0.03125, "dimensions": 2)"
                      << adaptive << R"(},
    "gas": {"name": "air", "carries": ["CARRIED_SMOKE", "CARRIED_DYE"]},
    "obstacles": [{"name": "ball", "shape": {"sphere": {"radius": 0.1}, "transform": {"translation": [0.5, 0.05, 0.5]}}}],
    "output": {"fields": ["FIELD_VELOCITY")"
                      << (adaptive.empty() ? "" : R"(, "FIELD_CELL_LEVEL")") << R"(]}
  })";
  return path.string();
}

class CliGas : public testing::TestWithParam<const char*> {
 protected:
  CliEnd run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--server", server.address()});
    return sluice_command(std::move(arguments));
  }

  TemporaryDirectory folder;
  TemporaryDirectory data;
  ServerProcess server{data.path(), {"--worker", (binary_directory() / "sluice-worker").string()}};
};

// Oracle: what was said, the picture before, and the frames of a session that repeats the record.
TEST_P(CliGas, is_painted_into_written_drawn_and_repeated) {
  const std::string scene = write_gas_scene(folder.path(), GetParam());
  const CliEnd submitted = run({"submit", scene, "--frames", "6", "--paused", "--json"});
  ASSERT_EQ(submitted.exit_code, 0) << submitted.error;
  const std::string name = json::parse(submitted.out).at("name");
  wait_until(server, name, [](const v1::Session& s) { return s.frame_count() == 1; });
  const CliEnd stroke =
      run({"steer", "stroke-gas", name,  "--from",     "0.3", "0", "1",  "--to",    "0.7", "0",
           "1",     "--radius",   "0.2", "--velocity", "0",   "0", "-1", "--smoke", "1",   "--dye",
           "1",     "0",          "0",   "--frames",   "2"});
  EXPECT_EQ(stroke.exit_code, 0) << stroke.error;
  EXPECT_EQ(stroke.out, "1\n");
  EXPECT_THAT(run({"steer", "stroke-gas", name, "--from", "0.3", "0", "1", "--radius", "0.2",
                   "--temperature", "900"})
                  .error,
              HasSubstr("temperature"))
      << "this gas carries none";
  EXPECT_EQ(run({"steer", "obstacle", name, "ball", "1", "0", "2"}).exit_code, 0);
  EXPECT_EQ(run({"resume", name}).exit_code, 0);

  const fs::path out = folder.path() / "out";
  const fs::path pictures = folder.path() / "pictures";
  const CliEnd frames = run({"frames", name, "-o", out.string(), "--surface", "vdb", "--json"});
  EXPECT_EQ(frames.exit_code, 0) << frames.error;
  const bool is_adaptive = !std::string(GetParam()).empty();
  EXPECT_EQ(json::parse(frames.out)["file_count"], is_adaptive ? 21 : 14);
  EXPECT_EQ(fs::exists(out / "air.cells_000006.vtu"), is_adaptive);
  EXPECT_EQ(fs::exists(out / "air.cells.pvd"), is_adaptive);
  for (const std::string field : {"smoke", "dye", "velocity"}) {
    EXPECT_THAT(read_text(out / "air_000006.vti"), HasSubstr("Name=\"" + field + "\"")) << field;
  }
  EXPECT_TRUE(fs::exists(out / "air_000006.vdb"));
  EXPECT_THAT(read_text(out / "air.pvd"), HasSubstr("air_000006.vti"));
  const CliEnd ply =
      run({"frames", name, "-o", (folder.path() / "ply").string(), "--format", "ply"});
  EXPECT_EQ(ply.exit_code, 2);
  EXPECT_THAT(ply.error, HasSubstr("vtk"));

  const CliEnd drawn = run({"render", name, "-o", pictures.string(), "--contact-sheet",
                            (folder.path() / "sheet.png").string(), "--size", "160x160"});
  EXPECT_EQ(drawn.exit_code, 0) << drawn.error;
  EXPECT_TRUE(fs::exists(folder.path() / "sheet.png"));
  EXPECT_NE(read_text(pictures / "000000.png"), read_text(pictures / "000001.png"));
  const fs::path with_cells = folder.path() / "with_cells";
  const CliEnd cells =
      run({"render", name, "-o", with_cells.string(), "--draw-cells", "--size", "160x160"});
  EXPECT_EQ(cells.exit_code, is_adaptive ? 0 : 2) << cells.error;
  if (is_adaptive) {
    EXPECT_NE(read_text(with_cells / "000006.png"), read_text(pictures / "000006.png"));
  } else {
    EXPECT_THAT(cells.error, HasSubstr("FIELD_CELL_LEVEL"));
    EXPECT_FALSE(fs::exists(with_cells));
  }

  const CliEnd commands = run({"get", name, "--commands"});
  const json record = json::parse(commands.out);
  ASSERT_EQ(record["commands"].size(), 2U) << commands.out;
  EXPECT_EQ(record["commands"][0]["frame_index"], 1);
  const json& painted = record["commands"][0]["command"]["stroke_gas"];
  EXPECT_EQ(painted["from"], json::parse("[0.3, 0.0, 1.0]"));
  EXPECT_EQ(painted["to"], json::parse("[0.7, 0.0, 1.0]"));
  EXPECT_EQ(painted["radius"], 0.2);
  EXPECT_EQ(painted["frame_count"], 2);
  EXPECT_EQ(painted["content"]["velocity"], json::parse("[0.0, 0.0, -1.0]"));
  EXPECT_EQ(painted["content"]["smoke"], 1);
  EXPECT_EQ(painted["content"]["dye"], json::parse("[1.0, 0.0, 0.0]"));
  EXPECT_FALSE(painted["content"].contains("temperature"));

  const fs::path file = folder.path() / "commands.json";
  std::ofstream(file) << commands.out;
  const fs::path again = folder.path() / "again";
  const CliEnd repeated = sluice_command(
      {"run", scene, "--frames", "6", "--commands", file.string(), "-o", again.string(), "--png",
       (folder.path() / "drawn_again").string(), "--size", "160x160", "--json"},
      "sluice-worker");
  EXPECT_EQ(repeated.exit_code, 0) << repeated.error;
  for (int frame = 0; frame <= 6; ++frame) {
    const std::string number = "00000" + std::to_string(frame);
    const std::string image = "air_" + number + ".vti";
    const std::string picture = number + ".png";
    EXPECT_EQ(read_text(again / image), read_text(out / image)) << frame;
    EXPECT_EQ(read_text(folder.path() / "drawn_again" / picture), read_text(pictures / picture));
    EXPECT_FALSE(read_text(pictures / picture).empty());
  }
}

INSTANTIATE_TEST_SUITE_P(OfCells, CliGas, testing::Values("", R"(, "adaptive": {})"));

}  // namespace
}  // namespace sluice::e2e::cli_gas_test
