// SPDX-License-Identifier: Apache-2.0
// What a new user meets first: help, versions, words that are wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>

#include "tests/e2e/cli_process.h"

namespace sluice::e2e::cli_usage_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

/// What a program of ours prints to stdout, and its exit code.
std::pair<int, std::string> output_of(const std::string& command) {
  FILE* pipe = ::popen((binary_directory() / command).c_str(), "r");
  std::string text;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
    text += static_cast<char>(c);
  }
  const int status = ::pclose(pipe);
  return {WEXITSTATUS(status), text};
}

TEST(CliUsage, every_program_says_its_version) {
  for (const std::string program : {"sluice", "sluiced", "sluice-worker"}) {
    const auto [code, text] = output_of(program + " --version");
    EXPECT_EQ(code, 0) << program;
    EXPECT_THAT(text, testing::MatchesRegex(program + " [0-9]+\\.[0-9]+\\.[0-9]+\n"));
  }
  EXPECT_EQ(sluice_command({"--version"}).out, sluice_command({"version"}).out);
  EXPECT_EQ(sluice_command({"--version", "--json"}).out, sluice_command({"version", "--json"}).out);
}

TEST(CliUsage, shows_examples_when_nothing_is_said) {
  const CliEnd end = sluice_command({});
  EXPECT_EQ(end.exit_code, 2) << "a script whose command came out empty";
  EXPECT_THAT(end.out, HasSubstr("Examples:\n  sluice run "));
  EXPECT_THAT(end.out, HasSubstr(" submit "));
  EXPECT_LT(end.lines().size(), 25U);
  EXPECT_EQ(end.error, "");
}

TEST(CliUsage, explains_commands) {
  const CliEnd all = sluice_command({"help"});
  EXPECT_EQ(all.exit_code, 0);
  EXPECT_EQ(all.out, sluice_command({"--help"}).out);
  const CliEnd drag = sluice_command({"help", "steer", "drag"});
  EXPECT_EQ(drag.exit_code, 0);
  EXPECT_THAT(drag.out, HasSubstr("--stiffness"));
  const CliEnd wrong = sluice_command({"help", "sumbit"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.error, HasSubstr("did you mean 'submit'?"));
}

TEST(CliUsage, says_which_word_is_wrong_and_what_it_may_have_been) {
  struct Case {
    std::vector<std::string> words;
    std::string said;
  };
  for (const Case& wrong : std::vector<Case>{
           {{"sumbit", "scene.json"}, "'sluice' has no command 'sumbit' (did you mean 'submit'?)"},
           {{"frobnicate"}, "'sluice' has no command 'frobnicate'\n"},
           {{"steer", "gravty", "a"},
            "'sluice steer' has no command 'gravty' (did you mean 'gravity'?)"},
           {{"get", "a", "--jsn"}, "'sluice get' has no option '--jsn' (did you mean '--json'?)"},
           {{"run", "a.json", "--frams=3"},
            "'sluice run' has no option '--frams' (did you mean '--frames'?)"},
           // The option that is unknown, not the argument that it swallowed.
           {{"get", "--jsn"}, "'sluice get' has no option '--jsn'"},
           {{"steer"}, "'sluice steer' needs a command: gravity, drag"},
           {{"--json"}, "'sluice' needs a command: run, submit"},
           {{"get", "a", "b"}, "'sluice get' does not expect 'b'"},
           {{"get"}, "sluice get: session is required"},
           {{"frames", "a", "-o", "b", "--format", "vkt"},
            "--format: 'vkt' is none of vtk, ply (did you mean 'vtk'?)"},
           {{"frames", "a", "-o", "b", "--format", "1"}, "--format: '1' is none of vtk, ply"},
           {{"frames", "a", "--digest", "--codec", "f64"}, "'f64' is none of f32, q16"},
           {{"list", "--state", "runing"}, "(did you mean 'running'?)"},
           {{"completion", "tcsh"}, "'tcsh' is none of bash, zsh, fish"},
           {{"run", "a.json", "--frames", "many"},
            "--frames: 'many' is not a number in [1, 1000000]"},
           {{"steer", "gravity", "a", "0", "0", "down"},
            "is not a value of the kind that it takes"},
       }) {
    const CliEnd end = sluice_command(wrong.words);
    EXPECT_EQ(end.exit_code, 2) << wrong.said;
    EXPECT_THAT(end.error, HasSubstr(wrong.said));
    EXPECT_THAT(end.error, HasSubstr(" --help'"));
    EXPECT_EQ(end.out, "");
    for (const std::string internal : {"->", "OR {", "FAILED", "Could not convert"}) {
      EXPECT_THAT(end.error, Not(HasSubstr(internal))) << wrong.said;
    }
  }
}

TEST(CliUsage, takes_no_option_that_it_would_ignore) {
  const TemporaryDirectory folder;
  const std::string scene = write_scene(folder.path(), "");
  const std::string here = folder.path().string();
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"run", scene, "-o", here, "--every", "10"},
        {"run", scene, "-o", here, "--size", "64x64"},
        {"run", scene, "--png", here, "--format", "ply"},
        {"run", scene, "--png", here, "--surface", "mesh"},
        {"run", "--resume", here, "--frames", "3"},
        {"run", "--resume", here, "--threads", "1"},
        {"frames", "a", "--digest", "--format", "ply"},
        {"frames", "a", "--digest", "--overwrite"},
        {"help", "--json"},
        {"man", "--json"},
        {"man", "run", "-o", here}}) {
    const CliEnd end = sluice_command(words);
    EXPECT_EQ(end.exit_code, 2) << testing::PrintToString(words);
    EXPECT_THAT(end.error, testing::ContainsRegex("-o|--[a-z]|JSON"));
  }
}

TEST(CliUsage, prints_each_error_once) {
  const TemporaryDirectory data;
  const TemporaryDirectory folder;
  ServerProcess server(data.path());
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"--server", server.address()});
    return sluice_command(std::move(words));
  };
  // One field that is wrong: the server's message names it, and its details do again.
  const CliEnd id = run({"submit", write_scene(folder.path(), ""), "--id", "NO"});
  EXPECT_EQ(id.exit_code, 2);
  EXPECT_EQ(occurrences(id.error, "4 to 63"), 1U) << id.error;
  const CliEnd missing = run({"get", "nosuch"});
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_EQ(occurrences(missing.error, "nosuch"), 1U) << missing.error;
  // The reason of a failure: not once from the worker's log and once from the session.
  const CliEnd failed = sluice_command(
      {"run", write_scene(folder.path(), "diverge=3"), "-o", (folder.path() / "o").string()});
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_EQ(occurrences(failed.error, "no finite state"), 1U) << failed.error;
}

TEST(CliUsage, refuses_a_place_that_cannot_be_written_before_anything_is_computed) {
  const TemporaryDirectory folder;
  const std::string scene = write_scene(folder.path(), "");
  std::ofstream(folder.path() / "file") << "x";
  const std::string below_a_file = (folder.path() / "file" / "out").string();
  const std::string a_film = (folder.path() / "folder.mp4").string();
  const std::string a_sheet = (folder.path() / "folder.png").string();
  std::filesystem::create_directory(a_film);
  std::filesystem::create_directory(a_sheet);
  for (const std::vector<std::string>& where : {std::vector<std::string>{"-o", below_a_file},
                                                {"-o", "/proc/out"},
                                                {"--png", below_a_file},
                                                {"--mp4", below_a_file + ".mp4"},
                                                {"--mp4", a_film},
                                                {"--contact-sheet", a_sheet},
                                                {"--contact-sheet", "/proc/sheet.png"},
                                                {"--data-dir", "/proc/data"}}) {
    std::vector<std::string> words{"run", scene, "--frames", "2"};
    words.insert(words.end(), where.begin(), where.end());
    const CliEnd end = sluice_command(words);
    EXPECT_EQ(end.exit_code, 2) << where[0] << " " << where[1] << ": " << end.error;
    EXPECT_THAT(end.error, HasSubstr("cannot write to '" + where[1] + "'"));
    EXPECT_THAT(end.error, Not(HasSubstr("watch it"))) << "it was begun";
  }
  // Not even a server that is not there is asked.
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"frames", "a", "-o", below_a_file},
        {"render", "a", "-o", below_a_file},
        {"scenes", "save", "water_on_sloped_cloth", "-o", below_a_file}}) {
    std::vector<std::string> all{"--server", "127.0.0.1:1"};
    all.insert(all.end(), words.begin(), words.end());
    EXPECT_EQ(sluice_command(all).exit_code, 2) << words[0];
  }
  EXPECT_EQ(read_text(folder.path() / "file"), "x");
}

// Symptom: told after the server had begun, with an empty folder left behind.
TEST(CliUsage, refuses_pictures_that_cannot_be_drawn_before_anything_is_computed) {
  const TemporaryDirectory folder;
  const std::string scene = write_scene(folder.path(), "");
  const std::string out = (folder.path() / "png").string();
  for (const std::vector<std::string>& how : {std::vector<std::string>{"--size", "100"},
                                              {"--size", "20x20"},
                                              {"--camera", "0", "0", "1", "0", "0", "1"},
                                              {"--camera", "0", "0", "1", "0", "0", "0", "500"}}) {
    std::vector<std::string> words{"run", scene, "--png", out};
    words.insert(words.end(), how.begin(), how.end());
    const CliEnd end = sluice_command(words);
    EXPECT_EQ(end.exit_code, 2) << end.error;
    EXPECT_THAT(end.error, HasSubstr(how[0]));
    EXPECT_THAT(end.error, Not(HasSubstr("watch it"))) << "it was begun";
    EXPECT_FALSE(fs::exists(out));
  }
}

TEST(CliUsage, names_the_file_that_is_no_json) {
  const TemporaryDirectory folder;
  const fs::path scene = folder.path() / "broken.json";
  std::ofstream(scene) << "{\n  \"gravity\" [0, 0, -9.81]\n}\n";
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"validate", scene.string()}, {"run", scene.string()}}) {
    const CliEnd end = sluice_command(words);
    EXPECT_EQ(end.exit_code, 2);
    EXPECT_THAT(end.error, HasSubstr("error: " + scene.string() + ": line 2, column 13: "));
  }
}

// Symptom: a contact sheet named .jpg was a PNG.
TEST(CliUsage, refuses_names_of_formats_that_it_does_not_write) {
  const TemporaryDirectory folder;
  const std::string scene = write_scene(folder.path(), "");
  for (const auto& [option, name, ending] :
       {std::array{"--mp4", "film.avi", ".mp4"}, std::array{"--mp4", "film", ".mp4"},
        std::array{"--contact-sheet", "sheet.jpg", ".png"}}) {
    const CliEnd end = sluice_command({"run", scene, option, (folder.path() / name).string()});
    EXPECT_EQ(end.exit_code, 2) << end.error;
    EXPECT_THAT(end.error, HasSubstr(std::string("does not end with ") + ending));
    EXPECT_FALSE(std::filesystem::exists(folder.path() / name));
  }
}

// Case 34. Symptom: frames 9 km from the origin were rounded to steps of 1 mm, untold.
TEST(CliUsage, says_how_much_a_scene_far_from_the_origin_is_rounded) {
  const TemporaryDirectory folder;
  const auto check = [&](double x) {
    const json scene{
        {"domain", {{"lower", {x - 0.05, -0.05, 0.0}}, {"upper", {x + 0.05, 0.05, 0.1}}}},
        {"rigid_bodies",
         {{{"name", "ball"},
           {"shape",
            {{"sphere", {{"radius", 0.01}}}, {"transform", {{"translation", {x, 0.0, 0.03}}}}}}}}}};
    std::ofstream(folder.path() / "scene.json") << scene.dump();
    const CliEnd end = sluice_command({"validate", (folder.path() / "scene.json").string()});
    EXPECT_EQ(end.exit_code, 0) << end.error;
    return end.error;
  };
  // Oracle: neighbouring float32 numbers between 8192 and 16384 are 2^-10 apart.
  EXPECT_THAT(check(9000), HasSubstr("warning: domain: is 9000.05 m from the origin"));
  EXPECT_THAT(check(9000), HasSubstr("rounded to steps of 0.00098 m"));
  EXPECT_THAT(check(0), Not(HasSubstr("rounded")));
  EXPECT_THAT(check(3), Not(HasSubstr("rounded")));
}

// Symptom: a server's database was made in whatever folder was named.
TEST(CliUsage, resumes_no_folder_that_has_no_session) {
  const TemporaryDirectory folder;
  std::ofstream(folder.path() / "water_000000.vtp") << "x";
  const CliEnd end = sluice_command({"run", "--resume", folder.path().string()});
  EXPECT_EQ(end.exit_code, 2);
  EXPECT_THAT(end.error, HasSubstr("there is no session in '" + folder.path().string() + "'"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

TEST(CliUsage, saves_no_example_over_a_file_that_was_changed) {
  const TemporaryDirectory folder;
  const std::vector<std::string> save{"scenes", "save", "water_on_sloped_cloth", "-o",
                                      folder.path().string()};
  const CliEnd first = sluice_command(save);
  ASSERT_EQ(first.exit_code, 0) << first.error;
  EXPECT_EQ(sluice_command(save).exit_code, 0) << "the same again does no harm";
  const fs::path scene = first.lines().at(0);
  std::ofstream(scene, std::ios::app) << "// mine\n";
  const std::string mine = read_text(scene);
  const CliEnd refused = sluice_command(save);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.error, HasSubstr("--overwrite"));
  EXPECT_EQ(read_text(scene), mine);
  std::vector<std::string> overwrite = save;
  overwrite.emplace_back("--overwrite");
  EXPECT_EQ(sluice_command(overwrite).exit_code, 0);
  EXPECT_NE(read_text(scene), mine);
}

// The script of the real binary in a real shell.
TEST(CliUsage, completes_words_of_options_sessions_and_scenes) {
  const TemporaryDirectory folder;
  const TemporaryDirectory data;
  ServerProcess server(data.path());
  v1::CreateSessionRequest request = create_request(small_scene(), 2);
  request.set_session_id("evening-run");
  create(server, request);
  const fs::path script = folder.path() / "completion.bash";
  std::ofstream(script) << sluice_command({"completion", "bash"}).out;
  const auto complete = [&](const std::string& line, const std::string& environment = "") {
    const std::string words = "(" + line + ")";
    const std::string command =
        "PATH=" + binary_directory().string() + ":$PATH " + environment + " bash -c 'source " +
        script.string() + "; COMP_LINE=\"" + line + "\"; COMP_WORDS=" + words +
        "; COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _sluice; echo \"${COMPREPLY[*]}\"'";
    FILE* pipe = ::popen(command.c_str(), "r");
    std::string text;
    for (int c = std::fgetc(pipe); c != EOF && c != '\n'; c = std::fgetc(pipe)) {
      text += static_cast<char>(c);
    }
    ::pclose(pipe);
    return text;
  };
  EXPECT_EQ(complete("sluice run a.json --format v"), "vtk");
  EXPECT_EQ(complete("sluice frames a --surface b"), "both");
  EXPECT_EQ(complete("sluice list --state su"), "succeeded");
  EXPECT_EQ(complete("sluice completion f"), "fish");
  EXPECT_EQ(complete("sluice help sub"), "submit");
  EXPECT_EQ(complete("sluice run sc"), "") << "files, which the shell offers";
  EXPECT_EQ(complete("sluice frames a -o s"), "") << "a folder";
  const std::string here = "SLUICE_SERVER=" + server.address();
  EXPECT_EQ(complete("sluice watch e", here), "evening-run");
  EXPECT_EQ(complete("sluice watch sessions/e", here), "sessions/evening-run");
  EXPECT_EQ(complete("sluice --server " + server.address() + " delete e"), "evening-run");
  EXPECT_EQ(complete("sluice steer gravity e", here), "evening-run");
  EXPECT_EQ(complete("sluice scenes save water_on_sl", here), "water_on_sloped_cloth");
  EXPECT_EQ(complete("sluice watch e", "SLUICE_SERVER=127.0.0.1:1"), "");
}

// Oracle: the structure that man(7) asks for.
TEST(CliUsage, writes_manual_pages_of_every_command) {
  const TemporaryDirectory folder;
  const CliEnd end = sluice_command({"man", "-o", folder.path().string()});
  ASSERT_EQ(end.exit_code, 0) << end.error;
  for (const std::string page :
       {"sluice", "sluice-run", "sluice-steer-drag", "sluice-scenes-save"}) {
    const std::string text = read_text(folder.path() / (page + ".1"));
    EXPECT_THAT(text, StartsWith(".TH ")) << page;
    for (const std::string section : {".SH NAME\n", ".SH SYNOPSIS\n", ".SH DESCRIPTION\n"}) {
      EXPECT_THAT(text, HasSubstr(section)) << page;
    }
  }
  EXPECT_THAT(read_text(folder.path() / "sluice-run.1"), HasSubstr("\\-\\-overwrite"));
  EXPECT_THAT(sluice_command({"man", "run"}).out,
              testing::Eq(read_text(folder.path() / "sluice-run.1")));
  // The build has made the same, for `cmake --install`.
  const fs::path built = binary_directory().parent_path() / "client" / "cli" / "man" / "sluice.1";
  EXPECT_EQ(read_text(built), read_text(folder.path() / "sluice.1"));
}

}  // namespace
}  // namespace sluice::e2e::cli_usage_test
