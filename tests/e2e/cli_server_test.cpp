// SPDX-License-Identifier: Apache-2.0
// The command line against a real server: flow of a session, exit codes, shapes of JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/e2e/cli_process.h"

namespace sluice::e2e::cli_server_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

class CliServer : public testing::Test {
 protected:
  /// Runs a command against the server.
  CliEnd run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--server", server.address()});
    return sluice_command(std::move(arguments));
  }

  std::string submit(const std::string& script, int frames, bool is_paused = false) {
    std::vector<std::string> words{"submit",    write_scene(folder.path(), script),
                                   "--frames",  std::to_string(frames),
                                   "--threads", "1",
                                   "--json"};
    if (is_paused) words.emplace_back("--paused");
    const CliEnd end = run(words);
    EXPECT_EQ(end.exit_code, 0) << end.error;
    return json::parse(end.out).at("name");
  }

  TemporaryDirectory folder;
  TemporaryDirectory data;
  ServerProcess server{data.path()};
};

TEST_F(CliServer, submits_watches_and_reads_a_session) {
  const std::string name = submit("", 5);
  EXPECT_THAT(name, testing::StartsWith("sessions/"));

  const CliEnd watched = run({"watch", name, "--json"});
  EXPECT_EQ(watched.exit_code, 0) << watched.error;
  const json last = json::parse(watched.lines().back());
  EXPECT_EQ(last["session"]["state"], "SESSION_STATE_SUCCEEDED");

  const json session = json::parse(run({"get", name, "--json"}).out);
  EXPECT_EQ(session["name"], name);
  EXPECT_EQ(session["state"], "SESSION_STATE_SUCCEEDED");
  EXPECT_TRUE(session["frame_count"].is_number_integer());
  EXPECT_EQ(session["frame_count"], 6);
  EXPECT_TRUE(session["worker_pid"].is_number_integer());

  const json list = json::parse(run({"list", "--state", "succeeded", "--json"}).out);
  ASSERT_EQ(list["sessions"].size(), 1U);
  EXPECT_EQ(list["sessions"][0]["name"], name);
  EXPECT_THAT(run({"get", name}).out, HasSubstr("succeeded"));
  EXPECT_THAT(run({"list"}).out, HasSubstr(name));
}

// Oracle: two runs of the same scene; and the digests' documented form.
TEST_F(CliServer, gives_the_same_digests_for_two_runs) {
  const std::string first = submit("", 7);
  const std::string second = submit("", 7);
  const CliEnd one = run({"frames", first, "--digest"});
  const CliEnd other = run({"frames", second, "--digest"});
  EXPECT_EQ(one.exit_code, 0) << one.error;
  EXPECT_EQ(one.out, other.out);
  ASSERT_EQ(one.lines().size(), 8U);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_THAT(one.lines()[i], testing::MatchesRegex(std::to_string(i) + " [0-9a-f]{64}"));
  }
  EXPECT_NE(one.lines()[1].substr(2), one.lines()[2].substr(2));
  EXPECT_EQ(run({"frames", first, "--digest", "--existing"}).out, one.out);
  const json line = json::parse(run({"frames", first, "--digest", "--json"}).lines()[3]);
  EXPECT_EQ(line["index"], 3);
  EXPECT_EQ("3 " + line["sha256"].get<std::string>(), one.lines()[3]);
}

TEST_F(CliServer, does_not_wait_for_frames_to_come_when_asked_for_existing_ones) {
  const std::string name = submit("slow=200", 1000);
  wait_for_frames(server, name, 2);
  const CliEnd end = run({"frames", name, "--digest", "--existing"});
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_GE(end.lines().size(), 2U);
  EXPECT_LT(end.lines().size(), 100U);
}

TEST_F(CliServer, downloads_and_draws_frames) {
  const std::string name = submit("", 4);
  const fs::path out = folder.path() / "frames";
  const CliEnd end = run({"frames", name, "-o", out.string(), "--json"});
  EXPECT_EQ(end.exit_code, 0) << end.error;
  EXPECT_EQ(json::parse(end.out)["frame_count"], 5);
  for (const std::string file :
       {"water_000000.vtp", "sheet_000004.vtp", "water.pvd", "sheet.pvd", "_all.pvd"}) {
    EXPECT_TRUE(fs::exists(out / file)) << file;
  }
  const fs::path ply = folder.path() / "ply";
  EXPECT_EQ(run({"frames", name, "-o", ply.string(), "--format", "ply", "--stride", "2", "--body",
                 "sheet"})
                .exit_code,
            0);
  EXPECT_TRUE(fs::exists(ply / "sheet_000004.ply"));
  EXPECT_FALSE(fs::exists(ply / "sheet_000001.ply"));
  EXPECT_FALSE(fs::exists(ply / "water_000000.ply"));

  // The numbers are near the exact ones, the files alike (what they hold: server_codec_test).
  const fs::path coarse = folder.path() / "q16";
  const CliEnd quantised = run({"frames", name, "-o", coarse.string(), "--format", "ply",
                                "--stride", "2", "--body", "sheet", "--codec", "q16"});
  EXPECT_EQ(quantised.exit_code, 0) << quantised.error;
  EXPECT_EQ(fs::file_size(coarse / "sheet_000004.ply"), fs::file_size(ply / "sheet_000004.ply"));

  const fs::path pictures = folder.path() / "pictures";
  const CliEnd drawn =
      run({"render", name, "-o", pictures.string(), "--every", "2", "--size", "160x90",
           "--contact-sheet", (folder.path() / "sheet.png").string(), "--json"});
  EXPECT_EQ(drawn.exit_code, 0) << drawn.error;
  EXPECT_EQ(json::parse(drawn.out)["outputs"].size(), 2U);
  EXPECT_THAT(read_text(pictures / "000004.png"), testing::StartsWith("\x89PNG"));
  EXPECT_FALSE(fs::exists(pictures / "000001.png"));
  EXPECT_THAT(read_text(folder.path() / "sheet.png"), testing::StartsWith("\x89PNG"));
}

// Oracle: the steered session itself.
TEST_F(CliServer, repeats_a_steered_session) {
  const std::string name = submit("", 20, true);
  wait_for_state(server, name, v1::SESSION_STATE_PAUSED);
  EXPECT_EQ(run({"steer", "gravity", name, "0", "0", "-1.62"}).exit_code, 0);
  EXPECT_EQ(run({"resume", name}).exit_code, 0);
  const CliEnd frames = run({"frames", name, "--digest"});
  EXPECT_EQ(frames.exit_code, 0) << frames.error;
  const CliEnd commands = run({"get", name, "--commands"});
  EXPECT_EQ(commands.exit_code, 0) << commands.error;
  const json list = json::parse(commands.out);
  ASSERT_EQ(list["commands"].size(), 1U);
  EXPECT_EQ(list["commands"][0]["command"]["set_gravity"]["gravity"][2], -1.62);
  const fs::path file = folder.path() / "commands.json";
  std::ofstream(file) << commands.out;
  const CliEnd again = run({"submit", write_scene(folder.path(), ""), "--frames", "20", "--threads",
                            "1", "--commands", file.string(), "--json"});
  ASSERT_EQ(again.exit_code, 0) << again.error;
  const std::string replay = json::parse(again.out).at("name");
  EXPECT_EQ(run({"frames", replay, "--digest"}).out, frames.out);
  EXPECT_NE(run({"frames", submit("", 20), "--digest"}).out, frames.out);
  std::ofstream(file) << "{\"commands\": 3}";
  EXPECT_EQ(run({"submit", write_scene(folder.path(), ""), "--commands", file.string()}).exit_code,
            2);
}

TEST_F(CliServer, pauses_steps_resumes_cancels_and_deletes) {
  const std::string name = submit("slow=20", 1000);
  wait_for_frames(server, name, 2);
  EXPECT_EQ(run({"pause", name}).exit_code, 0);
  wait_for_state(server, name, v1::SESSION_STATE_PAUSED);
  const auto count = get(server, name).frame_count();
  EXPECT_EQ(run({"step", name, "--count", "3", "--json"}).exit_code, 0);
  wait_for_frames(server, name, count + 3);
  wait_for_state(server, name, v1::SESSION_STATE_PAUSED);
  EXPECT_EQ(get(server, name).frame_count(), count + 3);
  const CliEnd steered = run({"steer", "gravity", name, "0", "0", "-1.62", "--json"});
  EXPECT_EQ(steered.exit_code, 0) << steered.error;
  EXPECT_EQ(json::parse(steered.out)["frame_index"], count + 3);
  EXPECT_EQ(run({"resume", name}).exit_code, 0);
  wait_for_frames(server, name, count + 5);
  EXPECT_EQ(run({"cancel", name}).exit_code, 0);
  wait_for_state(server, name, v1::SESSION_STATE_CANCELLED);
  EXPECT_EQ(run({"resume", name}).exit_code, 3);  // Refused: it is over.
  EXPECT_EQ(run({"watch", name}).exit_code, 1);
  EXPECT_EQ(run({"delete", name}).exit_code, 0);
  const CliEnd gone = run({"get", name});
  EXPECT_EQ(gone.exit_code, 3);
  EXPECT_THAT(gone.error, HasSubstr(name));
  EXPECT_EQ(gone.out, "");
}

TEST_F(CliServer, ends_with_one_for_a_session_that_failed) {
  const std::string name = submit("diverge=3", 10);
  const CliEnd watched = run({"watch", name});
  EXPECT_EQ(watched.exit_code, 1);
  EXPECT_THAT(watched.error, HasSubstr("failed"));
  const CliEnd digests = run({"frames", name, "--digest"});
  EXPECT_EQ(digests.exit_code, 1);
  EXPECT_EQ(digests.lines().size(), 3U);  // Frames 0 to 2 stay.
}

TEST_F(CliServer, reports_every_problem_of_a_scene_with_its_field) {
  const fs::path scene = folder.path() / "bad.json";
  std::ofstream(scene) << R"({
    "domain": {"lower": [0, 0, 0], "upper": [1, 1, -1]}, // upside down
    "gravitie": [0, 0, -9.81],
    "fluid_grid": {"cell_size": 0.05},
    "fluids": [{"name": "water", "density": -1, "regions": [{"sphere": {"radius": 0.2}}]}],
    "cloths": [{"name": "sheet", "mesh": "missing.obj"}],
  })";
  for (const std::string command : {"submit", "validate"}) {
    const CliEnd end = run({command, scene.string(), "--json"});
    EXPECT_EQ(end.exit_code, 2) << command;
    const json report = json::parse(end.out);
    std::string fields;
    for (const json& problem : report.at("problems")) {
      fields += problem.at("field").get<std::string>() + ";";
      EXPECT_NE(problem.at("message"), "");
    }
    for (const std::string field : {"domain", "gravitie", "fluids[0].density", "cloths[0].mesh"}) {
      EXPECT_THAT(fields, HasSubstr(field)) << command;
      EXPECT_THAT(end.error, HasSubstr(field)) << command;
    }
    EXPECT_THAT(end.error, HasSubstr("missing.obj"));
    EXPECT_THAT(end.error, HasSubstr("gravity"));  // Did you mean.
  }
  const CliEnd good = run({"validate", write_scene(folder.path(), ""), "--json"});
  EXPECT_EQ(good.exit_code, 0) << good.error;
  EXPECT_EQ(json::parse(good.out)["valid"], true);
  EXPECT_GT(json::parse(good.out)["particle_count"], 100);
  EXPECT_EQ(run({"submit", (folder.path() / "none.json").string()}).exit_code, 2);
}

TEST_F(CliServer, says_what_the_server_is) {
  const CliEnd end = run({"server", "--json"});
  EXPECT_EQ(end.exit_code, 0);
  const json info = json::parse(end.out);
  EXPECT_TRUE(info["limits"]["particles_per_scene"].is_number_integer());
  EXPECT_NE(info["version"], "");
}

TEST_F(CliServer, saves_examples_that_are_valid) {
  const CliEnd list = run({"scenes", "--json"});
  EXPECT_EQ(list.exit_code, 0) << list.error;
  const json scenes = json::parse(list.out)["scenes"];
  ASSERT_GE(scenes.size(), 3U);
  EXPECT_EQ(scenes[0]["name"], "water_on_sloped_cloth");
  const CliEnd saved =
      run({"scenes", "save", "water_on_sloped_cloth", "-o", folder.path().string()});
  EXPECT_EQ(saved.exit_code, 0) << saved.error;
  EXPECT_EQ(run({"validate", saved.lines().at(0)}).exit_code, 0);
  EXPECT_THAT(run({"scenes", "print", "water_on_sloped_cloth"}).out, HasSubstr("fluid_grid"));
  EXPECT_EQ(run({"scenes", "print", "nothing"}).exit_code, 2);
}

TEST(CliWithoutServer, answers_with_three_at_once) {
  const TemporaryDirectory folder;
  const std::string scene = write_scene(folder.path(), "");
  for (const std::vector<std::string>& command : {std::vector<std::string>{"submit", scene},
                                                  {"list"},
                                                  {"get", "a"},
                                                  {"watch", "a"},
                                                  {"frames", "a", "--digest"},
                                                  {"render", "a", "-o", folder.path().string()},
                                                  {"verify", "a"},
                                                  {"validate", scene},
                                                  {"scenes"},
                                                  {"server"},
                                                  {"cancel", "a"}}) {
    std::vector<std::string> words{"--server", "127.0.0.1:1"};
    words.insert(words.end(), command.begin(), command.end());
    const auto begin = std::chrono::steady_clock::now();
    const CliEnd end = sluice_command(words);
    EXPECT_EQ(end.exit_code, 3) << command[0];
    EXPECT_THAT(end.error, HasSubstr("127.0.0.1:1")) << command[0];
    EXPECT_EQ(end.out, "") << command[0];
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10)) << command[0];
  }
}

TEST(CliWithoutServer, answers_with_two_for_wrong_usage) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{},
                                                {"frobnicate"},
                                                {"get"},
                                                {"frames", "a"},
                                                {"verify"},
                                                {"run", "--resume", ".", "--certify"},
                                                {"render", "a"},
                                                {"frames", "a", "--digest", "-o", "b"},
                                                {"frames", "a", "--digest", "--codec", "q16"},
                                                {"frames", "a", "-o", "b", "--codec", "q17"},
                                                {"run"},
                                                {"run", "none.json"},
                                                {"run", "--resume", "nowhere"},
                                                {"completion", "bash", "--json"}}) {
    EXPECT_EQ(sluice_command(words).exit_code, 2) << (words.empty() ? "nothing" : words[0]);
  }
  EXPECT_EQ(sluice_command({"--help"}).exit_code, 0);
  EXPECT_EQ(json::parse(sluice_command({"version", "--json"}).out).size(), 1U);
}

}  // namespace
}  // namespace sluice::e2e::cli_server_test
