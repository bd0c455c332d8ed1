// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "client/cli/command_error.h"
#include "client/cli/command_tree.h"
#include "client/cli/commands/commands.h"
#include "client/cli/destinations.h"
#include "client/cli/man_page.h"
#include "client/cli/output.h"
#include "client/cli/visible_text.h"
#include "client/files/whole_file.h"

namespace sluice::cli {
namespace {

void write_pages(const CLI::App& command, const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / (man_page_name(command) + ".1");
  files::write_whole_file(path, make_man_page(command));
  print_data(visible(path.string()));
  for (const CLI::App* child : commands_of(command)) {
    write_pages(*child, folder);
  }
}

}  // namespace

void add_man_command(Command root, Program& program) {
  const Command command = root.add_command(
      "man", "Prints the manual page of a command, or writes those of all commands.");
  command.examples(
      "  sluice man run | man -l -\n"
      "  sluice man -o ~/.local/share/man/man1            all pages; the build installs the same");
  const auto words = std::make_shared<std::vector<std::string>>();
  const auto folder = std::make_shared<std::string>();
  command.add_option("command", *words, "The command; if not given, the program itself");
  command.add_option("-o,--out", *folder, "Folder for the pages of all commands");
  command.on_parsed([root, &program, words, folder] {
    program.action = [root, &program, words, folder] {
      if (program.json || (!folder->empty() && !words->empty())) {
        throw CommandError(ExitCode::usage, program.json ? "a manual page has no form in JSON"
                                                         : "say either a command or -o DIR");
      }
      if (!folder->empty()) {
        require_writable_folder(*folder);
        files::make_folder(*folder);
        write_pages(root.app(), *folder);
        return ExitCode::done;
      }
      std::string page = make_man_page(find_command(root.app(), *words));
      page.pop_back();  // print_data ends the line.
      print_data(page);
      return ExitCode::done;
    };
  });
}

}  // namespace sluice::cli
