// SPDX-License-Identifier: Apache-2.0
#include "client/cli/man_page.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "client/cli/command_tree.h"
#include "sluice/version.h"

namespace sluice::cli {
namespace {

/// Text as roff takes it literally: backslashes and dashes are special, and so are a dot or quote
/// that begins a line.
std::string escaped(const std::string& text) {
  std::string roff;
  for (const char c : text) {
    if ((c == '.' || c == '\'') && (roff.empty() || roff.back() == '\n')) {
      roff += "\\&";
    }
    if (c == '\\') {
      roff += "\\e";
    } else if (c == '-') {
      roff += "\\-";
    } else {
      roff += c;
    }
  }
  return roff;
}

/// Lines as they stand.
std::string literal(const std::string& text) { return ".nf\n" + escaped(text) + "\n.fi\n"; }

/// `N`, `X`, `vtk|ply`, the same as in the help; empty for a flag.
std::string value_of(const CLI::Option& option) {
  if (option.get_type_size() == 0) {
    return {};
  }
  std::string type = option.get_type_name();
  type = type.substr(0, type.find(':'));
  return type == "INT" ? "N" : type == "FLOAT" ? "X" : type;
}

std::string names_of(const CLI::Option& option) {
  std::string names;
  const auto add = [&](const std::string& name) {
    names += (names.empty() ? "\\fB" : ", \\fB") + escaped(name) + "\\fR";
  };
  for (const std::string& name : option.get_snames()) {
    add("-" + name);
  }
  for (const std::string& name : option.get_lnames()) {
    add("--" + name);
  }
  return names.empty() ? "\\fI" + escaped(option.get_name(true)) + "\\fR" : names;
}

std::string options_of(const CLI::App& command, bool positional) {
  std::string text;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional() != positional || option->get_group().empty()) {
      continue;
    }
    const std::string value = positional ? "" : value_of(*option);
    text += ".TP\n" + names_of(*option) + (value.empty() ? "" : " \\fI" + escaped(value) + "\\fR") +
            "\n" + escaped(option->get_description()) + "\n";
  }
  return text;
}

std::string synopsis_of(const CLI::App& command) {
  std::string text = "\\fB" + escaped(full_command(command)) + "\\fR";
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) {
      const std::string name = "\\fI" + escaped(option->get_name(true)) + "\\fR";
      text += option->get_required() ? " " + name : " [" + name + "]";
    }
  }
  return text + (commands_of(command).empty() ? " [options]" : " [options] command") + "\n";
}

/// The sentence up to its end, for the line by which pages are searched.
std::string first_sentence(std::string text) {
  text = text.substr(0, text.find(". "));
  if (text.ends_with('.')) {
    text.pop_back();
  }
  return text;
}

}  // namespace

std::string man_page_name(const CLI::App& command) {
  std::string name = full_command(command);
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string make_man_page(const CLI::App& command) {
  const std::string name = man_page_name(command);
  std::string description = command.get_description();
  if (description.starts_with("sluice: ")) {
    description.erase(0, std::string_view("sluice: ").size());
  }
  std::string text =
      fmt::format(".TH \"{}\" 1 \"\" \"Sluice {}\" \"Sluice\"\n", escaped(name), client::version());
  text += ".SH NAME\n" + escaped(name) + " \\- " + escaped(first_sentence(description)) + "\n";
  text += ".SH SYNOPSIS\n" + synopsis_of(command);
  text += ".SH DESCRIPTION\n" + escaped(description) + "\n";
  if (!command.get_footer().empty()) {
    text += ".SH EXAMPLES\n" + literal(command.get_footer());
  }
  if (const std::string arguments = options_of(command, true); !arguments.empty()) {
    text += ".SH ARGUMENTS\n" + arguments;
  }
  if (const std::string options = options_of(command, false); !options.empty()) {
    text += ".SH OPTIONS\n" + options;
  }
  const std::vector<const CLI::App*> commands = commands_of(command);
  if (!commands.empty()) {
    text += ".SH COMMANDS\n";
    for (const CLI::App* child : commands) {
      text += ".TP\n\\fB" + escaped(man_page_name(*child)) + "\\fR(1)\n" +
              escaped(child->get_description()) + "\n";
    }
  }
  if (const CLI::App* parent = command.get_parent(); parent != nullptr) {
    text += ".SH SEE ALSO\n\\fB" + escaped(man_page_name(*parent)) +
            "\\fR(1), for the options that every command takes and for exit codes\n";
  }
  return text;
}

}  // namespace sluice::cli
