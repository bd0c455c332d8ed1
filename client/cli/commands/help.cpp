// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "client/cli/command_error.h"
#include "client/cli/command_tree.h"
#include "client/cli/commands/commands.h"
#include "client/cli/output.h"

namespace sluice::cli {

std::string short_help(const CLI::App& app) {
  return fmt::format(
      "{}\n\nExamples:\n{}\n\nCommands: {}\n\n'sluice help' says what they do, 'sluice help "
      "COMMAND' "
      "how.",
      app.get_description(), app.get_footer(), fmt::join(command_names(app), " "));
}

void print_help(const CLI::App& command) {
  // Not `App::help`, which explains the command that was parsed: `help` itself.
  std::string text = command.get_formatter()->make_help(&command, full_command(command),
                                                        CLI::AppFormatMode::Normal);
  while (text.ends_with('\n')) {
    text.pop_back();
  }
  print_data(text);
}

void add_help_command(CLI::App& app, Program& program) {
  CLI::App* command = app.add_subcommand("help", "Explains a command, or lists them all.");
  command->footer("  sluice help\n  sluice help run\n  sluice help steer drag");
  const auto words = std::make_shared<std::vector<std::string>>();
  command->add_option("command", *words, "The command to explain; if not given, all");
  command->callback([&app, &program, words] {
    program.action = [&app, &program, words] {
      if (program.json) {
        throw CommandError(ExitCode::usage, "help has no form in JSON");
      }
      print_help(find_command(app, *words));
      return ExitCode::done;
    };
  });
}

}  // namespace sluice::cli
