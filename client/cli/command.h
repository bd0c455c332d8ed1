// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>

// CLI11, the parser, is one header that costs a source some seven seconds of compilation, even
// precompiled. Commands are described through the handles below and compile without it; only what
// looks at the finished command line (help, completion, manual pages, errors) includes it.
namespace CLI {  // NOLINT(readability-identifier-naming): the parser has it so.
class App;
class Option;
}  // namespace CLI

namespace sluice::cli {

/// Says in words what is wrong with a word that was given; empty if nothing is.
using WordCheck = std::function<std::string(const std::string& given)>;

/// An option or argument of a command, for as long as it is being described.
///
/// A handle, as a pointer is: copies are the same option, and the command line owns it. Every
/// function returns the option itself, so that calls can be chained.
class CommandOption {
 public:
  explicit CommandOption(CLI::Option& option) : option_(&option) {}

  /// A command line without it is an error.
  CommandOption required() const;

  /// Takes so many values.
  CommandOption expected(int count) const;
  CommandOption expected(int least, int most) const;

  /// Where it is given several times, every value counts.
  CommandOption take_all() const;

  /// Text that help shows for the option's value, instead of a word for the value's type.
  CommandOption type_name(const std::string& name) const;

  /// Refuses values that `problem` finds something wrong with. Checks run in the order in which
  /// they were added, before a value is converted.
  CommandOption check(WordCheck problem) const;

  /// Refuses all but numbers in [least, most].
  CommandOption range(int least, int most) const;

  /// Replaces a value by what `rewrite` makes of it, before any check sees it.
  CommandOption transform(std::function<std::string(const std::string& given)> rewrite) const;

  /// A command line with both is an error, which help of either says.
  CommandOption excludes(CommandOption other) const;

  /// Help shows the value that the variable has now as the default.
  CommandOption show_default() const;

 private:
  CLI::Option* option_;
};

/// A command of the program, or the program itself, for as long as it is being described.
///
/// A handle, as a pointer is: copies are the same command, and the command line owns it. Help lists
/// commands, options and arguments in the order in which they were added.
///
/// `names` of an option are what people type, separated by commas: `-o,--out`. A name without
/// dashes makes an argument; `!--shut` is a flag that makes its variable false.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}

  /// Adds a command below this one.
  [[nodiscard]] Command add_command(const std::string& name, const std::string& description) const;

  /// Adds an option or argument that sets `value`, which must outlive the parsing and stays as it
  /// is where the option is not given. A vector takes any number of words.
  ///
  /// The types that options may have are listed at the end of command.cpp; any other fails to link.
  template <class T>
  CommandOption add_option(const std::string& names, T& value,
                           const std::string& description) const;

  /// Adds an option or argument whose word is handed to `take` while the command line is parsed.
  CommandOption add_option_function(const std::string& names,
                                    const std::function<void(const std::string& given)>& take,
                                    const std::string& description) const;

  /// Adds an option without a value, which makes `value` true. `value` must outlive the parsing.
  CommandOption add_flag(const std::string& names, bool& value,
                         const std::string& description) const;

  /// Sets the examples, and what there is to say after them; help shows them first.
  void examples(const std::string& text) const;

  /// Sets what is called when a command line with this command has been read without an error.
  void on_parsed(std::function<void()> act) const;

  /// Hands options that this command does not know to the command above. Commands that are added
  /// below this one from then on do so as well.
  void fallthrough() const;

  /// A command line that names fewer or more of the commands below this one is an error.
  void require_command(std::size_t least, std::size_t most) const;

  /// The command as the parser has it, for what looks at the finished command line.
  [[nodiscard]] const CLI::App& app() const { return *app_; }

 private:
  CLI::App* app_;
};

}  // namespace sluice::cli
