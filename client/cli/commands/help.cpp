// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <vector>

#include "client/cli/command_error.h"
#include "client/cli/command_tree.h"
#include "client/cli/commands/commands.h"
#include "client/cli/output.h"

namespace sluice::cli {

void add_help_command(Command root, Program& program) {
  const Command command = root.add_command("help", "Explains a command, or lists them all.");
  command.examples("  sluice help\n  sluice help run\n  sluice help steer drag");
  const auto words = std::make_shared<std::vector<std::string>>();
  command.add_option("command", *words, "The command to explain; if not given, all");
  command.on_parsed([root, &program, words] {
    program.action = [root, &program, words] {
      if (program.json) {
        throw CommandError(ExitCode::usage, "help has no form in JSON");
      }
      print_data(help_text(find_command(root.app(), *words)));
      return ExitCode::done;
    };
  });
}

}  // namespace sluice::cli
