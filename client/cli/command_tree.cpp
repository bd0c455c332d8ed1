// SPDX-License-Identifier: Apache-2.0
#include "client/cli/command_tree.h"

#include <fmt/format.h>

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

}  // namespace sluice::cli
