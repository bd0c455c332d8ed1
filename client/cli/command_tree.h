// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "client/cli/command.h"

// The commands and options of the command line, for help, completion, manual pages and messages.
namespace sluice::cli {

/// The commands of a command (`steer` has `gravity`), in their order.
[[nodiscard]] std::vector<const CLI::App*> commands_of(const CLI::App& app);

/// Their names.
[[nodiscard]] std::vector<std::string> command_names(const CLI::App& app);

/// `sluice steer gravity`.
[[nodiscard]] std::string full_command(const CLI::App& app);

/// `--out`, `-o` of a command's options, then those of the program as a whole; none twice.
[[nodiscard]] std::vector<std::string> option_names(const CLI::App& app);

/// The command that is reached from `app` by these words. Throws `CommandError` (usage) with a
/// suggestion for a word that is none.
[[nodiscard]] const CLI::App& find_command(const CLI::App& app,
                                           const std::vector<std::string>& words);

/// What `help COMMAND` and `COMMAND --help` print.
[[nodiscard]] std::string help_text(const CLI::App& command);

/// What `sluice` without a word prints: examples, the names of the commands, and where more is.
[[nodiscard]] std::string short_help(const CLI::App& app);

}  // namespace sluice::cli
