// SPDX-License-Identifier: Apache-2.0
// What former runs have left where one writes: told of, removed when asked, and nothing else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/e2e/cli_process.h"

namespace sluice::e2e::cli_output_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class CliOutput : public testing::Test {
 protected:
  std::vector<std::string> run_words(int frames, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{
        "run", scene,        "--frames", std::to_string(frames),           "--web",  "off",
        "-o",  out.string(), "--png",    (folder.path() / "png").string(), "--size", "64x64"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  static std::set<std::string> names(const fs::path& in) {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(in)) {
      found.insert(entry.path().filename().string());
    }
    return found;
  }

  TemporaryDirectory folder;
  std::string scene = write_scene(folder.path(), "");
  fs::path out = folder.path() / "out";
};

// Symptom: the first 3 frames of a new run, and frames 4 to 6 of the one before, as one series.
TEST_F(CliOutput, mixes_no_two_runs) {
  ASSERT_EQ(sluice_command(run_words(6, {"--surface", "mesh"})).exit_code, 0);
  const std::set<std::string> before = names(out);
  const CliEnd refused = sluice_command(run_words(3));
  EXPECT_EQ(refused.exit_code, 2) << refused.error;
  EXPECT_THAT(refused.error, HasSubstr(std::to_string(before.size()) + " files of 7 frames"));
  EXPECT_THAT(refused.error, HasSubstr("7 files of 7 frames (0 to 6)")) << "the pictures";
  EXPECT_THAT(refused.error, HasSubstr("--overwrite"));
  EXPECT_THAT(refused.error, Not(HasSubstr("watch it"))) << "it was begun";
  EXPECT_EQ(names(out), before);

  // What is not ours stays, however near its name is.
  const std::set<std::string> theirs{"notes.txt",        "water_12.vtp", "Water_000001.vtp",
                                     "water_000001.obj", "000001.png",   "water_000004.vtp.bak"};
  for (const std::string& name : theirs) {
    std::ofstream(out / name) << "mine";
  }
  const CliEnd overwritten = sluice_command(run_words(3, {"--overwrite"}));
  EXPECT_EQ(overwritten.exit_code, 0) << overwritten.error;
  std::set<std::string> expected = theirs;
  expected.insert({"water.pvd", "sheet.pvd", "_all.pvd"});
  for (int i = 0; i <= 3; ++i) {
    expected.insert("water_00000" + std::to_string(i) + ".vtp");
    expected.insert("sheet_00000" + std::to_string(i) + ".vtp");
  }
  EXPECT_EQ(names(out), expected);
  EXPECT_EQ(read_text(out / "water_000004.vtp.bak"), "mine");
  EXPECT_EQ(names(folder.path() / "png"),
            (std::set<std::string>{"000000.png", "000001.png", "000002.png", "000003.png"}));
}

TEST_F(CliOutput, removes_nothing_for_an_invalid_scene) {
  ASSERT_EQ(sluice_command(run_words(2)).exit_code, 0);
  const std::set<std::string> before = names(out);
  scene = (folder.path() / "bad.json").string();
  std::ofstream(scene) << R"({"gravitie": 1})";
  EXPECT_EQ(sluice_command(run_words(2, {"--overwrite"})).exit_code, 2);
  EXPECT_EQ(names(out), before);
}

TEST_F(CliOutput, tells_of_a_film_and_a_sheet_that_are_there) {
  const std::string sheet = (folder.path() / "sheet.png").string();
  std::ofstream(sheet) << "old";
  const std::vector<std::string> words{
      "run", scene, "--frames", "2", "--web", "off", "--contact-sheet", sheet, "--size", "64x64"};
  const CliEnd refused = sluice_command(words);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.error, HasSubstr("'" + sheet + "' is there already"));
  EXPECT_EQ(read_text(sheet), "old");
  std::vector<std::string> overwrite = words;
  overwrite.emplace_back("--overwrite");
  EXPECT_EQ(sluice_command(overwrite).exit_code, 0);
  EXPECT_THAT(read_text(sheet), testing::StartsWith("\x89PNG"));
}

TEST_F(CliOutput, downloads_and_draws_into_clean_folders) {
  const TemporaryDirectory data;
  ServerProcess server(data.path());
  const std::string name = create(server, "", 5).name();
  wait_for_state(server, name, v1::SESSION_STATE_SUCCEEDED);
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"--server", server.address()});
    return sluice_command(std::move(words));
  };
  EXPECT_EQ(run({"frames", name, "-o", out.string()}).exit_code, 0);
  const CliEnd refused = run({"frames", name, "-o", out.string(), "--stride", "2"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.error, HasSubstr("of 6 frames (0 to 5)"));
  // Going on where a download stopped adds files.
  fs::remove(out / "water_000005.vtp");
  fs::remove(out / "sheet_000005.vtp");
  EXPECT_EQ(run({"frames", name, "-o", out.string(), "--from", "5"}).exit_code, 0);
  EXPECT_TRUE(fs::exists(out / "water_000001.vtp"));
  EXPECT_TRUE(fs::exists(out / "water_000005.vtp"));
  for (const std::string file : {"water_000000.vtp", "water_000004.vtp", "water_000005.vtp"}) {
    EXPECT_THAT(read_text(out / "water.pvd"), HasSubstr(file)) << "the series is of all of them";
    EXPECT_THAT(read_text(out / "_all.pvd"), HasSubstr(file));
  }
  EXPECT_EQ(run({"frames", name, "-o", out.string(), "--stride", "2", "--overwrite"}).exit_code, 0);
  EXPECT_FALSE(fs::exists(out / "water_000001.vtp"));
  EXPECT_TRUE(fs::exists(out / "water_000002.vtp"));

  const std::string png = (folder.path() / "png").string();
  EXPECT_EQ(run({"render", name, "-o", png, "--size", "64x64"}).exit_code, 0);
  EXPECT_EQ(run({"render", name, "-o", png, "--size", "64x64", "--every", "5"}).exit_code, 2);
  EXPECT_EQ(
      run({"render", name, "-o", png, "--size", "64x64", "--every", "5", "--overwrite"}).exit_code,
      0);
  EXPECT_EQ(names(png), (std::set<std::string>{"000000.png", "000005.png"}));
}

}  // namespace
}  // namespace sluice::e2e::cli_output_test
