// SPDX-License-Identifier: Apache-2.0
#include "client/cli/completion.h"

#include <memory>

#include "client/cli/choice.h"
#include "client/cli/command_error.h"
#include "client/cli/commands/commands.h"
#include "client/cli/output.h"

namespace sluice::cli {

void add_completion_command(Command root, Program& program) {
  const Command command =
      root.add_command("completion", "Prints a script that completes commands in a shell.");
  command.examples(
      "  source <(sluice completion bash)\n"
      "  sluice completion zsh > ~/.zfunc/_sluice\n"
      "  sluice completion fish > ~/.config/fish/completions/sluice.fish");
  const auto shell = std::make_shared<Shell>();
  add_choice<Shell>(command, "shell", *shell,
                    {{"bash", Shell::bash}, {"zsh", Shell::zsh}, {"fish", Shell::fish}},
                    "The shell that is to complete")
      .required();
  command.on_parsed([root, &program, shell] {
    program.action = [root, &program, shell] {
      if (program.json) {
        throw CommandError(ExitCode::usage, "a script for a shell has no form in JSON");
      }
      print_data(make_completion(root.app(), *shell));
      return ExitCode::done;
    };
  });
}

}  // namespace sluice::cli
