// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "client/cli/commands/submission.h"
#include "client/cli/program.h"

namespace sluice::cli {
namespace {

/// Parses a command line without running it; 0, or what CLI11 would exit with.
int parse(std::vector<std::string> words, Program& program) {
  const auto app = make_app(program);
  std::reverse(words.begin(), words.end());
  try {
    app->parse(words);
  } catch (const CLI::ParseError& error) {
    return error.get_exit_code();
  }
  return 0;
}

TEST(CommandLine, takes_global_options_before_and_after_the_command) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--server", "host:1", "--json", "get", "a"},
        {"get", "a", "--json", "--server", "host:1"},
        {"steer", "gravity", "a", "0", "0", "-1.5", "--json", "--server", "host:1"},
        {"scenes", "save", "a", "--json", "--server", "host:1"}}) {
    Program program;
    EXPECT_EQ(parse(words, program), 0) << words[0];
    EXPECT_EQ(program.server, "host:1");
    EXPECT_TRUE(program.json);
    EXPECT_TRUE(program.action);
  }
}

TEST(CommandLine, refuses_what_is_not_there) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{},
                                                {"frobnicate"},
                                                {"get"},
                                                {"get", "a", "--frobnicate"},
                                                {"frames", "a", "--format", "obj"},
                                                {"frames", "a", "--stride", "0"},
                                                {"run", "a", "--frames", "-1"},
                                                {"run", "--resume", "a", "--data-dir", "b"},
                                                {"steer"},
                                                {"steer", "gravity", "a", "0", "0"},
                                                {"completion", "tcsh"}}) {
    Program program;
    EXPECT_NE(parse(words, program), 0) << (words.empty() ? "nothing" : words[0]);
  }
}

TEST(CommandLine, strokes_the_gas_with_what_is_said) {
  const std::vector<std::string> stroke{"steer", "stroke-gas", "a",        "--from", "0",
                                        "-0.1",  "1",          "--radius", "0.1"};
  const auto parse_with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = stroke;
    words.insert(words.end(), more.begin(), more.end());
    Program program;
    return parse(words, program);
  };
  EXPECT_EQ(parse_with({"--smoke", "1"}), 0);
  EXPECT_EQ(parse_with({"--to", "1", "0", "-1", "--velocity", "0", "0", "-2", "--smoke", "1",
                        "--temperature", "700", "--dye", "1", "0", "0.5", "--frames", "3"}),
            0);
  EXPECT_NE(parse_with({"--dye", "1", "0"}), 0) << "two numbers are no colour";
  EXPECT_NE(parse_with({"--to", "1", "0"}), 0);
  EXPECT_NE(parse_with({"--smoke", "thick"}), 0);
  EXPECT_NE(parse_with({"--frames", "0.5"}), 0);
  Program program;
  EXPECT_NE(parse({"steer", "stroke-gas", "a", "--from", "0", "0", "0", "--smoke", "1"}, program),
            0)
      << "it needs a radius";
}

TEST(CommandLine, every_command_has_examples_before_its_usage) {
  Program program;
  const auto app = make_app(program);
  for (const CLI::App* command : app->get_subcommands([](const CLI::App*) { return true; })) {
    const std::string help = command->help();
    const std::size_t examples = help.find("Examples:\n  sluice ");
    EXPECT_NE(examples == std::string::npos ? help.find("  source <(sluice") : examples,
              std::string::npos)
        << command->get_name();
    EXPECT_LT(help.find("Examples:"), help.find("Usage:")) << command->get_name();
  }
}

TEST(CommandLine, completes_names_of_sessions) {
  EXPECT_EQ(session_resource_name("4f2a"), "sessions/4f2a");
  EXPECT_EQ(session_resource_name("sessions/4f2a"), "sessions/4f2a");
}

TEST(SubmissionOptions, send_only_what_was_said) {
  SubmissionOptions options;
  EXPECT_EQ(options.run_options().ByteSizeLong(), 0U);
  options.frame_count = 7;
  options.thread_count = 2;
  EXPECT_EQ(options.run_options().frame_count(), 7);
  EXPECT_EQ(options.run_options().thread_count(), 2);
  EXPECT_FALSE(options.run_options().has_checkpoint_interval_frames());
  EXPECT_FALSE(options.run_options().certify());
  options.certify = true;
  EXPECT_TRUE(options.run_options().certify());
}

}  // namespace
}  // namespace sluice::cli
