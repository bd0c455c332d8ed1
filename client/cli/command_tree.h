// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

// What the command line consists of, for help, completion, manual pages and messages.
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

}  // namespace sluice::cli
