// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "client/cli/command.h"

namespace sluice::cli {

enum class Shell { bash, zsh, fish };

/// A script that completes commands, options and the words that options take in a shell, made from
/// what `app` knows, so that it is never out of date. Names of sessions and example scenes are
/// asked for (`sluice list`, `sluice scenes`); file names complete everywhere else.
[[nodiscard]] std::string make_completion(const CLI::App& app, Shell shell);

}  // namespace sluice::cli
