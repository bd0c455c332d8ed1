// SPDX-License-Identifier: Apache-2.0
#include "client/cli/completion.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "client/cli/command_tree.h"

namespace sluice::cli {
namespace {

/// A command as it is typed after the program's name; the first one is empty.
struct TypedCommand {
  std::string path;  // Words joined by blanks.
  const CLI::App* app;
};

void collect(const CLI::App& app, const std::string& path, std::vector<TypedCommand>& commands) {
  commands.push_back({path, &app});
  for (const CLI::App* child : commands_of(app)) {
    collect(*child, path.empty() ? child->get_name() : path + " " + child->get_name(), commands);
  }
}

std::vector<TypedCommand> all_commands(const CLI::App& app) {
  std::vector<TypedCommand> commands;
  collect(app, "", commands);
  return commands;
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

// Where a word cannot be known from the command line, the program itself is asked. A server that is
// slow or not there gives no words; --server is read from the line as it is typed, since bash takes
// HOST:PORT apart.
constexpr std::string_view session_words = "sessions";
constexpr std::string_view scene_words = "scenes";
constexpr std::string_view command_words = "commands";

/// Words that an option or argument takes, joined by blanks.
std::string choices_of(const CLI::Option& option) {
  std::string type = option.get_type_name();
  type = type.substr(0, type.find(':'));
  if (type.find('|') == std::string::npos) {
    return {};
  }
  std::replace(type.begin(), type.end(), '|', ' ');
  return type;
}

/// Where the words of a command's first argument come from: `sessions`, `scenes`, `commands`, or
/// nothing for files.
std::string_view source_of_arguments(const TypedCommand& command) {
  if (command.path == "help") {
    return command_words;
  }
  for (const CLI::Option* option : command.app->get_options()) {
    if (!option->get_positional()) {
      continue;
    }
    const std::string name = option->get_name(true);
    if (name == "session" || name == "sessions") {
      return session_words;
    }
    if (name == "name" && command.path.starts_with("scenes ")) {
      return scene_words;
    }
    return {};
  }
  return {};
}

/// Words of a command's first argument that are known beforehand.
std::string words_of_arguments(const TypedCommand& command) {
  for (const CLI::Option* option : command.app->get_options()) {
    if (option->get_positional()) {
      return choices_of(*option);
    }
  }
  return {};
}

/// Names of an option as they are typed.
std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_lnames()) {
    names.push_back("--" + name);
  }
  for (const std::string& name : option.get_snames()) {
    names.push_back("-" + name);
  }
  return names;
}

/// For bash; zsh takes the same through its bashcompinit.
std::string make_bash(const CLI::App& app) {
  std::string paths;
  std::string cases;
  std::string values;  // Words of options that take one; none for files and numbers.
  for (const TypedCommand& command : all_commands(app)) {
    if (!command.path.empty()) {
      paths += (paths.empty() ? "" : "|") + quoted(command.path);
    }
    std::string words = join(command_names(*command.app));
    if (words.empty()) {
      words = words_of_arguments(command);
    }
    cases += fmt::format("    {}) words={} options={} ask={} ;;\n", quoted(command.path),
                         quoted(words), quoted(join(option_names(*command.app))),
                         quoted(std::string(source_of_arguments(command))));
    for (const CLI::Option* option : command.app->get_options()) {
      if (option->get_positional() || option->get_type_size() == 0) {
        continue;
      }
      std::string names;
      for (const std::string& name : names_of(*option)) {
        // The program's own options are taken by every command.
        names +=
            (names.empty() ? "" : "|") +
            (command.path.empty() ? "*" + quoted(" " + name) : quoted(command.path + " " + name));
      }
      values += fmt::format("    {}) words={} ask='' ;;\n", names, quoted(choices_of(*option)));
    }
  }
  return fmt::format(
      R"sh(_sluice_ask() {{
  local server=''
  case "$COMP_LINE" in
    *--server[=\ ]*) server=${{COMP_LINE#*--server?}} server=${{server%% *}} ;;
  esac
  case "$1" in
    sessions) timeout 5 sluice ${{server:+--server "$server"}} list 2>/dev/null |
      if [[ $2 == sessions/* ]]; then sed '1d; s/ .*//'; else sed '1d; s/ .*//; s,^sessions/,,'; fi ;;
    scenes) timeout 5 sluice ${{server:+--server "$server"}} scenes 2>/dev/null | sed 's/ .*//' ;;
    commands) printf '%s\n' {} ;;
  esac
}}
_sluice() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous='' path='' word words options ask i
  ((COMP_CWORD > 0)) && previous=${{COMP_WORDS[COMP_CWORD - 1]}}
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word=${{COMP_WORDS[i]}}
    case "$path${{path:+ }}$word" in
      {}) path="$path${{path:+ }}$word" ;;
    esac
  done
  words='' options='' ask=''
  case "$path" in
{}  esac
  case "$path $previous" in
{}  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  else
    [[ -n $ask ]] && words="$words $(_sluice_ask "$ask" "$current")"
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
}}
complete -o default -F _sluice sluice
)sh",
      join(command_names(app)), paths, cases, values);
}

/// The words that fish offers, or a command that prints them; empty where fish offers files.
std::string fish_words(const TypedCommand& command, const CLI::App& app) {
  const std::string_view source = source_of_arguments(command);
  if (source == session_words) {
    return "(timeout 5 sluice list 2>/dev/null | sed \"1d; s/ .*//\")";
  }
  if (source == scene_words) {
    return "(timeout 5 sluice scenes 2>/dev/null | sed \"s/ .*//\")";
  }
  return source == command_words ? join(command_names(app)) : words_of_arguments(command);
}

std::string make_fish(const CLI::App& app) {
  std::string text;
  for (const TypedCommand& command : all_commands(app)) {
    const std::vector<std::string> children = command_names(*command.app);
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
    if (const std::string words = fish_words(command, app); !words.empty()) {
      text += fmt::format("complete -c sluice -f -n {} -a {}\n", quoted(condition), quoted(words));
    }
    for (const CLI::App* child : commands_of(*command.app)) {
      text += fmt::format("complete -c sluice -n {} -a {} -d {}\n", quoted(condition),
                          child->get_name(), quoted(child->get_description()));
    }
    for (const CLI::Option* option : command.app->get_options()) {
      const std::string where =
          command.path.empty() ? std::string() : fmt::format(" -n {}", quoted(condition));
      const std::string choices = choices_of(*option);
      const std::string value = option->get_type_size() == 0 ? ""
                                : choices.empty()            ? " -r"
                                                  : fmt::format(" -x -a {}", quoted(choices));
      std::string names;
      for (const std::string& name : option->get_lnames()) {
        names += " -l " + name;
      }
      for (const std::string& name : option->get_snames()) {
        names += " -s " + name;
      }
      if (!names.empty()) {
        text += fmt::format("complete -c sluice{}{}{} -d {}\n", where, names, value,
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
