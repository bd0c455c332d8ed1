// SPDX-License-Identifier: Apache-2.0
#include "client/cli/command.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace sluice::cli {

CommandOption CommandOption::required() const {
  option_->required();
  return *this;
}

CommandOption CommandOption::expected(int count) const {
  option_->expected(count);
  return *this;
}

CommandOption CommandOption::expected(int least, int most) const {
  option_->expected(least, most);
  return *this;
}

CommandOption CommandOption::take_all() const {
  option_->take_all();
  return *this;
}

CommandOption CommandOption::type_name(const std::string& name) const {
  option_->type_name(name);
  return *this;
}

CommandOption CommandOption::check(WordCheck problem) const {
  option_->check(std::move(problem));
  return *this;
}

CommandOption CommandOption::range(int least, int most) const {
  option_->check(CLI::Range(least, most));
  return *this;
}

CommandOption CommandOption::transform(
    std::function<std::string(const std::string& given)> rewrite) const {
  option_->transform(std::move(rewrite));
  return *this;
}

CommandOption CommandOption::excludes(CommandOption other) const {
  option_->excludes(other.option_);
  return *this;
}

CommandOption CommandOption::show_default() const {
  option_->capture_default_str();
  return *this;
}

Command Command::add_command(const std::string& name, const std::string& description) const {
  return Command(*app_->add_subcommand(name, description));
}

template <class T>
CommandOption Command::add_option(const std::string& names, T& value,
                                  const std::string& description) const {
  return CommandOption(*app_->add_option(names, value, description));
}

CommandOption Command::add_option_function(
    const std::string& names, const std::function<void(const std::string& given)>& take,
    const std::string& description) const {
  return CommandOption(*app_->add_option_function<std::string>(names, take, description));
}

CommandOption Command::add_flag(const std::string& names, bool& value,
                                const std::string& description) const {
  return CommandOption(*app_->add_flag(names, value, description));
}

void Command::examples(const std::string& text) const { app_->footer(text); }

void Command::on_parsed(std::function<void()> act) const { app_->callback(std::move(act)); }

void Command::fallthrough() const { app_->fallthrough(); }

void Command::require_command(std::size_t least, std::size_t most) const {
  app_->require_subcommand(least, most);
}

// The kinds of value that commands take.
template CommandOption Command::add_option(const std::string&, double&, const std::string&) const;
template CommandOption Command::add_option(const std::string&, std::int32_t&,
                                           const std::string&) const;
template CommandOption Command::add_option(const std::string&, std::int64_t&,
                                           const std::string&) const;
template CommandOption Command::add_option(const std::string&, std::string&,
                                           const std::string&) const;
template CommandOption Command::add_option(const std::string&, std::optional<double>&,
                                           const std::string&) const;
template CommandOption Command::add_option(const std::string&, std::optional<std::int32_t>&,
                                           const std::string&) const;
template CommandOption Command::add_option(const std::string&, std::optional<std::int64_t>&,
                                           const std::string&) const;
template CommandOption Command::add_option(const std::string&, std::vector<double>&,
                                           const std::string&) const;
template CommandOption Command::add_option(const std::string&, std::vector<std::string>&,
                                           const std::string&) const;

}  // namespace sluice::cli
