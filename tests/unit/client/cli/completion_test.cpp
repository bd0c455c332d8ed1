// SPDX-License-Identifier: Apache-2.0
#include "client/cli/completion.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "client/cli/program.h"

namespace sluice::cli {
namespace {

namespace fs = std::filesystem;

class Completion : public testing::Test {
 protected:
  void TearDown() override { fs::remove(path); }

  std::string script(Shell shell) {
    Program program;
    return make_completion(*make_app(program), shell);
  }
  int check(const std::string& command, Shell shell) {
    std::ofstream(path) << script(shell);
    return std::system((command + " " + path.string()).c_str());
  }
  /// What bash offers after `words`, the last of which is being typed.
  std::string complete(const std::string& words) {
    std::ofstream(path) << script(Shell::bash);
    const fs::path out = path.string() + ".out";
    const std::string command = "bash -c 'source " + path.string() + "; COMP_WORDS=(" + words +
                                "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _sluice; "
                                "echo \"${COMPREPLY[*]}\"' > " +
                                out.string();
    EXPECT_EQ(std::system(command.c_str()), 0);
    std::ifstream file(out);
    std::string line;
    std::getline(file, line);
    fs::remove(out);
    return line;
  }

  fs::path path = fs::temp_directory_path() / ("sluice-completion-" + std::to_string(::getpid()));
};

TEST_F(Completion, scripts_are_what_the_shells_take) {
  EXPECT_EQ(check("bash -n", Shell::bash), 0);
  EXPECT_EQ(check("bash -n", Shell::zsh), 0);  // Its own part is a comment and two commands.
  if (std::system("command -v fish >/dev/null") == 0) {
    EXPECT_EQ(check("fish -n", Shell::fish), 0);
  }
  EXPECT_TRUE(script(Shell::zsh).starts_with("#compdef sluice\n"));
}

TEST_F(Completion, offers_commands_and_options) {
  EXPECT_EQ(complete("sluice sub"), "submit");
  EXPECT_EQ(complete("sluice steer pu"), "push");
  EXPECT_EQ(complete("sluice --json scenes sa"), "save");
  EXPECT_EQ(complete("sluice frames some-session --dig"), "--digest");
  EXPECT_EQ(complete("sluice submit --serv"), "--server");
}

TEST_F(Completion, offers_the_words_of_options) {
  EXPECT_EQ(complete("sluice frames a --format p"), "ply");
  EXPECT_EQ(complete("sluice run a.json --surface m"), "mesh");
  EXPECT_EQ(complete("sluice list --state pa"), "paused");
  EXPECT_EQ(complete("sluice completion z"), "zsh");
  EXPECT_EQ(complete("sluice help ren"), "renew render");
  EXPECT_EQ(complete("sluice run a.json --mp4 f"), "") << "files, which the shell offers";
  const std::string fish = script(Shell::fish);
  EXPECT_NE(fish.find("-l format -x -a 'vtk ply'"), std::string::npos);
  EXPECT_NE(fish.find("-l out -s o -r"), std::string::npos);
  EXPECT_NE(fish.find("sluice list"), std::string::npos);
}

}  // namespace
}  // namespace sluice::cli
