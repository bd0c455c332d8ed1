// SPDX-License-Identifier: Apache-2.0
#include "client/cli/command_tree.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "client/cli/command_error.h"
#include "client/cli/suggestion.h"

namespace sluice::cli {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(app)) {
    names.push_back(command->get_name());
  }
  return names;
}

std::string full_command(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  return (parent == nullptr ? "" : full_command(*parent) + " ") + app.get_name();
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  const auto add = [&](const CLI::App& from) {
    for (const CLI::Option* option : from.get_options()) {
      for (const std::string& name : option->get_lnames()) {
        names.push_back("--" + name);
      }
      for (const std::string& name : option->get_snames()) {
        names.push_back("-" + name);
      }
    }
  };
  const CLI::App* root = &app;
  while (root->get_parent() != nullptr) {
    root = root->get_parent();
  }
  add(app);
  if (root != &app) {
    add(*root);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

const CLI::App& find_command(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* found = &app;
  for (const std::string& word : words) {
    const std::vector<const CLI::App*> commands = commands_of(*found);
    const auto next = std::find_if(commands.begin(), commands.end(), [&](const CLI::App* command) {
      return command->get_name() == word;
    });
    if (next == commands.end()) {
      throw CommandError(ExitCode::usage,
                         fmt::format("'{}' has no command '{}'{}", full_command(*found), word,
                                     did_you_mean(word, command_names(*found))));
    }
    found = *next;
  }
  return *found;
}

std::string help_text(const CLI::App& command) {
  // Not `App::help`, which explains the command that was parsed: `help` itself.
  std::string text = command.get_formatter()->make_help(&command, full_command(command),
                                                        CLI::AppFormatMode::Normal);
  while (text.ends_with('\n')) {
    text.pop_back();
  }
  return text;
}

std::string short_help(const CLI::App& app) {
  return fmt::format(
      "{}\n\nExamples:\n{}\n\nCommands: {}\n\n'sluice help' says what they do, 'sluice help "
      "COMMAND' "
      "how.",
      app.get_description(), app.get_footer(), fmt::join(command_names(app), " "));
}

}  // namespace sluice::cli
