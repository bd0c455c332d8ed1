// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "client/cli/command.h"

namespace CLI {
class ParseError;
}

namespace sluice::cli {

/// The command that the words of a parsing have led to, be it one that failed.
[[nodiscard]] const CLI::App& chosen_command(const CLI::App& app);

/// Why a command line was not understood, for people: the word that is unknown, with what it was
/// most likely meant to be, before what is missing because of it; then where help is. `app` is as
/// the failed parsing left it.
[[nodiscard]] std::string in_words(const CLI::App& app, const CLI::ParseError& error);

}  // namespace sluice::cli
