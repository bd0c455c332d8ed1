// SPDX-License-Identifier: Apache-2.0
#include "sluice/scene_file.h"

#include <google/protobuf/unknown_field_set.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sluice/error.h"
#include "tests/unit/client/lib/fake_server.h"

namespace sluice::client {
namespace {

TEST(ToPlainJson, blanks_comments_and_trailing_commas_in_place) {
  EXPECT_EQ(to_plain_json("{\"a\": 1, // one\n \"b\": [2,], /* two\n lines */}"),
            "{\"a\": 1,       \n \"b\": [2 ]        \n         }");
}

TEST(ToPlainJson, keeps_what_stands_in_strings) {
  const std::string text = R"({"a": "// no /* comment */ ,]", "b": "quote \" // ,}"})";
  EXPECT_EQ(to_plain_json(text), text);
}

TEST(ToPlainJson, keeps_mistakes_for_the_parser_to_find) {
  for (const std::string text : {"[,]", "{,}", "[1,,]", "{\"a\":,}", "/* open", "\"open", "[1,"}) {
    EXPECT_EQ(to_plain_json(text), text);
  }
}

TEST(ReadSceneFile, reads_text_and_binary_protobuf_as_json) {
  const TemporaryFolder folder;
  v1::Scene scene;
  scene.add_cloths()->set_mesh("sheet.obj");
  scene.mutable_fluid_grid()->set_cell_size(0.02);
  const auto text = folder.write("a.textproto", scene.DebugString());
  const auto binary = folder.write("b.binpb", scene.SerializeAsString());
  for (const auto& path : {text, binary}) {
    const SceneFile file = read_scene_file(path);
    EXPECT_EQ(parse_scene(file.json).SerializeAsString(), scene.SerializeAsString());
    EXPECT_EQ(file.directory, folder.path());
  }
  EXPECT_THROW((void)read_scene_file(folder.write("c.textproto", "cloths { mash: 1 }")), Error);
  EXPECT_THROW((void)read_scene_file(folder.write("d.binpb", "\xff\xff")), Error);
  v1::Cloth& cloth = *scene.mutable_cloths(0);
  cloth.GetReflection()->MutableUnknownFields(&cloth)->AddVarint(99, 1);
  EXPECT_THROW((void)read_scene_file(folder.write("e.binpb", scene.SerializeAsString())), Error);
  EXPECT_THROW((void)read_scene_file(folder.path() / "none.json"), Error);
  EXPECT_THROW((void)read_scene_file(folder.path()), Error);
}

// Symptom: "server refused with status 12", for a text in UTF-16 is none that a message may have.
TEST(ReadSceneFile, names_text_that_is_not_utf8) {
  using namespace std::string_literals;
  const TemporaryFolder folder;
  const auto message = [&](const std::string& text) {
    try {
      (void)read_scene_file(folder.write("scene.json", text));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return "read"s;
  };
  for (const std::string& text : {"\xFF\xFE{\0}\0"s, "\xFE\xFF\0{\0}"s, "{\0}\0"s}) {
    EXPECT_NE(message(text).find("is UTF-16; save it as UTF-8"), std::string::npos)
        << message(text);
  }
  EXPECT_NE(message("{\"name\": \"caf\xE9\"}").find("is not UTF-8"), std::string::npos);
  EXPECT_EQ(message("\xEF\xBB\xBF{}"), "read");
  EXPECT_EQ(read_scene_file(folder.path() / "scene.json").json, "{}");
}

class CheckScene : public testing::Test {
 protected:
  void SetUp() override {
    server.write = [this](const v1::WriteAssetRequest& in, v1::Asset& out) {
      uploads.push_back(in.file_name());
      out.set_committed_byte_count(static_cast<std::int64_t>(in.data().size()));
      out.set_complete(!in.data().empty());
      return grpc::Status::OK;
    };
    server.validate = [this](const v1::ValidateSceneRequest& in, v1::ValidateSceneResponse& out) {
      validated = in.json();
      out = answer;
      return grpc::Status::OK;
    };
  }

  CheckedScene check(const std::string& json) {
    return check_scene(Connection(server.address()),
                       read_scene_file(folder.write("scene.json", json)));
  }

  void answer_with(const std::string& field, v1::SceneProblem::Severity severity) {
    v1::SceneProblem& problem = *answer.add_problems();
    problem.set_field(field);
    problem.set_message("from the server");
    problem.set_severity(severity);
  }

  FakeServer server;
  TemporaryFolder folder;
  std::vector<std::string> uploads;
  std::string validated;
  v1::ValidateSceneResponse answer;
};

TEST_F(CheckScene, uploads_each_mesh_once_and_names_it_by_content) {
  folder.write("meshes/abc.obj", "abc");
  const CheckedScene checked = check(
      R"({"cloths": [{"mesh": "meshes/abc.obj"}, {"mesh": "./meshes/abc.obj"}, {"grid": {}},
          {"mesh": "assets/0123"}]})");
  EXPECT_TRUE(checked.valid);
  const std::string name =
      "assets/ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  EXPECT_EQ(checked.scene.cloths(0).mesh(), name);
  EXPECT_EQ(checked.scene.cloths(1).mesh(), name);
  EXPECT_EQ(checked.scene.cloths(3).mesh(), "assets/0123");
  EXPECT_EQ(checked.scene.name(), "scene");                              // The file's.
  EXPECT_EQ(uploads, (std::vector<std::string>{"abc.obj", "abc.obj"}));  // Question and piece.
}

// Symptom: `softBodies`, which JSON may spell so, kept the names of files, and the server called
// them no assets.
TEST_F(CheckScene, uploads_meshes_of_all_kinds_of_bodies_in_either_spelling) {
  folder.write("abc.stl", "abc");
  const CheckedScene checked = check(
      R"({"softBodies": [{"mesh": "abc.stl"}], "rigid_bodies": [{"name": "mesh", "mesh": "abc.stl"}],
          "cloths": {"mesh": "abc.stl"}})");
  const auto sent = nlohmann::json::parse(validated);
  EXPECT_EQ(sent["softBodies"][0]["mesh"].get<std::string>().substr(0, 7), "assets/");
  EXPECT_EQ(sent["rigid_bodies"][0]["mesh"], sent["softBodies"][0]["mesh"]);
  EXPECT_EQ(sent["cloths"]["mesh"], "abc.stl") << "what is no list is for the server to refuse";
}

TEST_F(CheckScene, reports_missing_meshes_along_with_what_the_server_finds) {
  answer_with("cloths[0].mesh", v1::SceneProblem::SEVERITY_ERROR);
  answer_with("domain", v1::SceneProblem::SEVERITY_ERROR);
  const CheckedScene checked = check(R"({"cloths": [{"mesh": "none.obj"}], "domian": {}})");
  EXPECT_FALSE(checked.valid);
  ASSERT_EQ(checked.report.problems_size(), 2);
  EXPECT_EQ(checked.report.problems(0).field(), "domain");
  EXPECT_EQ(checked.report.problems(1).field(), "cloths[0].mesh");
  EXPECT_NE(checked.report.problems(1).message().find("none.obj"), std::string::npos);
}

TEST_F(CheckScene, takes_warnings_for_valid) {
  answer_with("cloths[0].thickness", v1::SceneProblem::SEVERITY_WARNING);
  EXPECT_TRUE(check("{}").valid);
}

TEST_F(CheckScene, passes_on_what_it_cannot_parse) {
  answer_with("", v1::SceneProblem::SEVERITY_ERROR);
  EXPECT_FALSE(check("{\"cloths\": [").valid);
  EXPECT_EQ(validated, "{\"cloths\": [");
}

// Symptom: the second of two values took the place of the first without a word.
TEST_F(CheckScene, passes_on_fields_that_are_given_twice_for_the_server_to_refuse) {
  folder.write("abc.obj", "abc");
  const std::string scene =
      R"({"cloths": [{"mesh": "abc.obj"}], "gravity": [0, 0, 0], "gravity": [0, 0, 1]})";
  answer_with("cloths[0].mesh", v1::SceneProblem::SEVERITY_ERROR);
  answer_with("gravity", v1::SceneProblem::SEVERITY_ERROR);
  const CheckedScene checked = check(scene);
  EXPECT_EQ(validated, scene);
  ASSERT_EQ(checked.report.problems_size(), 1) << "the file was not the server's to find";
  EXPECT_EQ(checked.report.problems(0).field(), "gravity");
}

TEST_F(CheckScene, keeps_every_number_as_it_was_written) {
  const CheckedScene checked = check(R"({"gravity": [0.1, 1e-300, -9.80665], "timing":
      {"frame_count": "120"}})");
  EXPECT_EQ(checked.scene.gravity(0), 0.1);
  EXPECT_EQ(checked.scene.gravity(1), 1e-300);
  EXPECT_EQ(checked.scene.gravity(2), -9.80665);
  EXPECT_EQ(checked.scene.timing().frame_count(), 120);
}

}  // namespace
}  // namespace sluice::client
