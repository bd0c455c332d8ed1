// SPDX-License-Identifier: Apache-2.0
#include "client/cli/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace sluice::cli {
namespace {

/// A command as it is typed after the program's name; the first one is empty.
struct Command {
  std::string path;  // Words joined by blanks.
  const CLI::App* app;
};

void collect(const CLI::App& app, const std::string& path, std::vector<Command>& commands) {
  commands.push_back({path, &app});
  for (const CLI::App* child : app.get_subcommands([](const CLI::App*) { return true; })) {
    collect(*child, path.empty() ? child->get_name() : path + " " + child->get_name(), commands);
  }
}

std::vector<Command> all_commands(const CLI::App& app) {
  std::vector<Command> commands;
  collect(app, "", commands);
  return commands;
}

std::vector<std::string> subcommand_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* child : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(child->get_name());
  }
  return names;
}

/// `--out` and `-o`, of the command and of the program as a whole.
std::vector<std::string> option_names(const CLI::App& app, const CLI::App& root) {
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
  add(app);
  if (&app != &root) {
    add(root);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

/// Descriptions within single quotes.
std::string quoted(std::string text) {
  for (std::size_t at = text.find('\''); at != std::string::npos; at = text.find('\'', at + 4)) {
    text.replace(at, 1, "'\\''");
  }
  return "'" + text + "'";
}

/// For bash; zsh takes the same through its bashcompinit.
std::string make_bash(const CLI::App& app) {
  std::string text =
      "_sluice() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} path='' word words options i\n"
      "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
      "    word=${COMP_WORDS[i]}\n"
      "    case \"$path${path:+ }$word\" in\n      ";
  std::string paths;
  std::string cases;
  for (const Command& command : all_commands(app)) {
    if (!command.path.empty()) {
      paths += (paths.empty() ? "" : "|") + quoted(command.path);
    }
    cases += fmt::format("    {}) words={} options={} ;;\n", quoted(command.path),
                         quoted(join(subcommand_names(*command.app))),
                         quoted(join(option_names(*command.app, app))));
  }
  text += paths +
          ") path=\"$path${path:+ }$word\" ;;\n"
          "    esac\n"
          "  done\n"
          "  words='' options=''\n"
          "  case \"$path\" in\n" +
          cases +
          "  esac\n"
          "  if [[ $current == -* ]]; then\n"
          "    COMPREPLY=($(compgen -W \"$options\" -- \"$current\"))\n"
          "  else\n"
          "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
          "  fi\n"
          "}\n"
          "complete -o default -F _sluice sluice\n";
  return text;
}

std::string make_fish(const CLI::App& app) {
  std::string text;
  for (const Command& command : all_commands(app)) {
    const std::vector<std::string> children = subcommand_names(*command.app);
    std::string condition = "true";
    if (command.path.empty()) {
      condition = "not __fish_seen_subcommand_from " + join(children);
    } else {
      condition.clear();
      for (std::size_t begin = 0; begin <= command.path.size();) {
        const std::size_t end = std::min(command.path.find(' ', begin), command.path.size());
        condition += (condition.empty() ? "" : "; and ") +
                     ("__fish_seen_subcommand_from " + command.path.substr(begin, end - begin));
        begin = end + 1;
      }
    }
    for (const CLI::App* child :
         command.app->get_subcommands([](const CLI::App*) { return true; })) {
      text += fmt::format("complete -c sluice -n {} -a {} -d {}\n", quoted(condition),
                          child->get_name(), quoted(child->get_description()));
    }
    for (const CLI::Option* option : command.app->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        const std::string where =
            command.path.empty() ? std::string() : fmt::format(" -n {}", quoted(condition));
        text += fmt::format("complete -c sluice{} -l {} -d {}\n", where, name,
                            quoted(option->get_description()));
      }
    }
  }
  return text;
}

}  // namespace

std::string make_completion(const CLI::App& app, Shell shell) {
  switch (shell) {
    case Shell::bash:
      return make_bash(app);
    case Shell::zsh:
      return "#compdef sluice\nautoload -U +X bashcompinit && bashcompinit\n" + make_bash(app);
    case Shell::fish:
      return make_fish(app);
  }
  return {};
}

}  // namespace sluice::cli
