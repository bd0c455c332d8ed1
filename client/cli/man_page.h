// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "client/cli/command.h"

namespace sluice::cli {

/// `sluice-steer-drag`: what the manual page of a command is called, without its section.
[[nodiscard]] std::string man_page_name(const CLI::App& command);

/// The manual page of a command, in section 1, made from its help: name, synopsis, description,
/// examples, arguments, options, commands. Source: man(7), "Page structure" and "Macro overview".
[[nodiscard]] std::string make_man_page(const CLI::App& command);

}  // namespace sluice::cli
