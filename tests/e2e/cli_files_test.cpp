// SPDX-License-Identifier: Apache-2.0
// Bodies from mesh files, from the file to its frames with real processes: every kind of body in
// every format that it takes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/e2e/cli_process.h"
#include "tests/e2e/surface_files.h"

namespace sluice::e2e::cli_files_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

struct BodyKind {
  const char* field;  ///< The field of Scene.
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
TEST(CliFiles, runs_every_kind_of_body_from_every_format) {
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
      const std::string extension = kind.field == std::string("soft_bodies") ? ".vtu" : ".vtp";
      const fs::path frame = out / ("body_" + std::to_string(i) + "_000001" + extension);
      EXPECT_TRUE(fs::exists(frame)) << kind.field << " from " << kind.files[i].name;
    }
  }
}

TEST(CliFiles, submits_every_kind_of_body_from_every_format) {
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

// Inputs after bug reports of other readers (tests/data/cases), and what each is.
struct Case {
  std::string scene;
  int vertex_count;  ///< Vertices of the body as it is simulated.
};

const std::vector<Case>& good_cases() {
  static const std::vector<Case> cases{{"00-mesh-of-rigid-and-soft-bodies/rigid", 8},
                                       {"00-mesh-of-rigid-and-soft-bodies/soft", 8},
                                       {"01-obj-concave-ngon/l_obj", 12},
                                       {"01-obj-concave-ngon/dart_obj", 4},
                                       {"03-obj-duplicated-vertices/cube_split_obj", 8},
                                       {"03-obj-duplicated-vertices/cube_split_ply", 8},
                                       {"03-obj-duplicated-vertices/sheet_seam_obj", 289},
                                       {"03-obj-duplicated-vertices/sheet_shared_obj", 289},
                                       {"03-obj-duplicated-vertices/sheet_split_obj", 289},
                                       {"04-stl-variants/bin_solid_stl", 8},
                                       {"04-stl-variants/bin_solid_trailing_stl", 8},
                                       {"04-stl-variants/bin_trailing_stl", 8},
                                       {"04-stl-variants/bom_stl", 8},
                                       {"04-stl-variants/endsolid_stl", 8},
                                       {"04-stl-variants/lower_stl", 8},
                                       {"04-stl-variants/sliver_stl", 9},
                                       {"04-stl-variants/space_stl", 8},
                                       {"04-stl-variants/two_solids_stl", 16},
                                       {"05-byte-order-mark/cube_bom_obj", 8},
                                       {"05-byte-order-mark/cube_bom_ply", 8},
                                       {"05-byte-order-mark/sheet_bom_negative_obj", 81},
                                       {"05-byte-order-mark/sheet_bom_spare_obj", 81},
                                       {"08-vtu-encodings/appended_raw_u64_vtu", 8},
                                       {"08-vtu-encodings/appended_raw_vtu", 8},
                                       {"08-vtu-encodings/appended_raw_zlib_vtu", 8},
                                       {"08-vtu-encodings/appended_vtu", 8},
                                       {"08-vtu-encodings/ascii_vtu", 8},
                                       {"08-vtu-encodings/inline_vtu", 8},
                                       {"08-vtu-encodings/inline_zlib_vtu", 8},
                                       {"08-vtu-encodings/legacy30_vtk", 8},
                                       {"08-vtu-encodings/legacy51_vtk", 8},
                                       {"08-vtu-encodings/own_export_vtu", 343}};
  return cases;
}

std::string case_path(const std::string& scene) {
  return SLUICE_TEST_DATA "/cases/" + scene + ".json";
}

// Oracle: the meshes that the files were made from.
TEST(CliFiles, reads_files_as_exporters_write_them) {
  const TemporaryDirectory data;
  ServerProcess server(data.path());
  for (const Case& one : good_cases()) {
    const CliEnd end =
        sluice_command({"--server", server.address(), "validate", case_path(one.scene), "--json"});
    EXPECT_EQ(end.exit_code, 0) << one.scene << ": " << end.error;
    if (end.exit_code == 0) {
      EXPECT_EQ(json::parse(end.out)["vertex_count"], one.vertex_count) << one.scene;
    }
  }
}

// One of each kind goes all the way: what is joined, cut and decompressed can be simulated.
TEST(CliFiles, runs_what_exporters_write) {
  for (const std::string scene :
       {"01-obj-concave-ngon/l_obj", "01-obj-concave-ngon/dart_obj",
        "03-obj-duplicated-vertices/sheet_split_obj", "04-stl-variants/sliver_stl",
        "05-byte-order-mark/sheet_bom_spare_obj", "08-vtu-encodings/appended_raw_zlib_vtu"}) {
    const TemporaryDirectory folder;
    const CliEnd end =
        sluice_command({"run", case_path(scene), "-o", (folder.path() / "out").string(),
                        "--threads", "1", "--web", "off", "--frames", "2"},
                       "sluice-worker");
    EXPECT_EQ(end.exit_code, 0) << scene << ": " << end.error;
  }
}

TEST(CliFiles, says_what_is_wrong_with_a_file) {
  const TemporaryDirectory data, folder;
  ServerProcess server(data.path());
  const auto error_of = [&](const std::string& scene) {
    const CliEnd end = sluice_command({"--server", server.address(), "validate", scene});
    EXPECT_EQ(end.exit_code, 2) << end.out;
    return end.error;
  };
  const auto write_body = [&](const std::string& name, const std::string& bytes,
                              const std::string& more = "") {
    std::ofstream(folder.path() / name, std::ios::binary) << bytes;
    const fs::path path = folder.path() / (name + ".json");
    std::ofstream(path) << R"({"domain": {"lower": [-2, -2, -2], "upper": [2, 2, 2]},)"
                        << R"("rigid_bodies": [{"name": "body", "mesh": ")" << name << "\"" << more
                        << "}]}";
    return path.string();
  };
  EXPECT_THAT(error_of(case_path("04-stl-variants/noisy_stl")), HasSubstr("the surface is open"));
  EXPECT_THAT(error_of(case_path("05-byte-order-mark/utf16")),
              HasSubstr("is UTF-16; save it as UTF-8"));
  std::string wide = "\xFF\xFE";
  for (const char c : obj_text(cube(0.5F)))
    wide += {c, '\0'};
  EXPECT_THAT(error_of(write_body("wide.obj", wide)),
              HasSubstr("the file is UTF-16; save it as UTF-8"));
  EXPECT_THAT(error_of(write_body("misnamed.stl", obj_text(cube(0.5F)))),
              HasSubstr("not an STL file: it starts with 'v 0 0 0', as an OBJ file does"));
  EXPECT_THAT(
      error_of(write_body("twice.obj", obj_text(cube(0.5F)), ",\n\"density\": 5,\n\"density\": 6")),
      HasSubstr("rigid_bodies[0].density: is given twice, in lines 2 and 3"));
  EXPECT_THAT(error_of(write_body("far.obj", obj_text(cube(0.5F)), R"(, "weld_distance": 2)")),
              HasSubstr("rigid_bodies[0].weld_distance: 2 is not in [0, 1]"));
}

// Oracle: the same cube without the noise; and its seams without a word.
TEST(CliFiles, welds_what_the_scene_allows) {
  const TemporaryDirectory data, folder;
  ServerProcess server(data.path());
  fs::copy(SLUICE_TEST_DATA "/cases/04-stl-variants/noisy.stl", folder.path() / "noisy.stl");
  const fs::path scene = folder.path() / "scene.json";
  std::ofstream(scene) << R"({"domain": {"lower": [-2, -2, -2], "upper": [2, 2, 2]},
    "rigid_bodies": [{"name": "body", "mesh": "noisy.stl", "weld_distance": 1e-5}]})";
  const CliEnd end =
      sluice_command({"--server", server.address(), "validate", scene.string(), "--json"});
  EXPECT_EQ(end.exit_code, 0) << end.error;
  const json report = json::parse(end.out);
  EXPECT_EQ(report["vertex_count"], 8);
  ASSERT_EQ(report["problems"].size(), 1U);
  EXPECT_EQ(report["problems"][0]["severity"], "SEVERITY_WARNING");
  EXPECT_THAT(report["problems"][0]["message"].get<std::string>(),
              HasSubstr("26 of its 34 vertices were joined"));
}

}  // namespace
}  // namespace sluice::e2e::cli_files_test
