// SPDX-License-Identifier: Apache-2.0
#include "client/cli/usage_error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cctype>
#include <regex>
#include <string>
#include <vector>

#include "client/cli/command_tree.h"
#include "client/cli/suggestion.h"

namespace sluice::cli {
namespace {

bool looks_like_option(const std::string& word) {
  return word.size() > 1 && word[0] == '-' && word != "--" &&
         std::isdigit(static_cast<unsigned char>(word[1])) == 0 && word[1] != '.';
}

/// The message of CLI11, with CLI11's words for types and conversions replaced.
std::string plain(const std::string& text) {
  static const std::regex range("Value (.*) not in range (.*) to (.*)");
  static const std::regex conversion("Could not convert: (.*) = (.*)");
  static const std::regex missing("(.*): [0-9]+ required .* missing");
  static const std::regex too_few("(.*): At least ([0-9]+) required but received ([0-9]+)");
  std::smatch parts;
  if (std::regex_match(text, parts, conversion)) {
    return fmt::format("{}: '{}' is not a value of the kind that it takes", parts[1].str(),
                       parts[2].str());
  }
  if (std::regex_match(text, parts, missing)) {
    return fmt::format("{} needs a value", parts[1].str());
  }
  if (std::regex_match(text, parts, too_few)) {
    return fmt::format("{} takes {} values, and {} were given", parts[1].str(), parts[2].str(),
                       parts[3].str());
  }
  return std::regex_replace(text, range, "'$1' is not a number in [$2, $3]");
}

std::string what_is_wrong(const CLI::App& app, const CLI::App& command,
                          const CLI::ParseError& error) {
  const std::vector<std::string> left = app.remaining(true);
  for (const std::string& word : left) {
    if (looks_like_option(word)) {
      const std::string name = word.substr(0, word.find('='));
      return fmt::format("'{}' has no option '{}'{}", full_command(command), name,
                         did_you_mean(name, option_names(command)));
    }
  }
  const std::vector<std::string> commands = command_names(command);
  if (!commands.empty() && !left.empty()) {
    return fmt::format("'{}' has no command '{}'{}", full_command(command), left[0],
                       did_you_mean(left[0], commands));
  }
  if (!left.empty()) {
    return fmt::format("'{}' does not expect '{}'", full_command(command), fmt::join(left, " "));
  }
  if (!commands.empty() && error.get_name() == "RequiredError") {
    return fmt::format("'{}' needs a command: {}", full_command(command),
                       fmt::join(commands, ", "));
  }
  return full_command(command) + ": " + plain(error.what());
}

}  // namespace

const CLI::App& chosen_command(const CLI::App& app) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().back();
  }
  return *command;
}

std::string in_words(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = chosen_command(app);
  return fmt::format("{}\nRun '{} --help' for what it takes.", what_is_wrong(app, command, error),
                     full_command(command));
}

}  // namespace sluice::cli
