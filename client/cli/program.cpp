// SPDX-License-Identifier: Apache-2.0
#include "client/cli/program.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "client/cli/command_error.h"
#include "client/cli/command_tree.h"
#include "client/cli/commands/commands.h"
#include "client/cli/interrupt.h"
#include "client/cli/output.h"
#include "client/cli/usage_error.h"
#include "client/files/file_error.h"
#include "sluice/error.h"
#include "sluice/version.h"

namespace sluice::cli {
namespace {

constexpr const char* usual_address = "127.0.0.1:7780";

std::string address_of_environment() {
  const char* value = std::getenv("SLUICE_SERVER");
  return value == nullptr ? "" : value;
}

/// Help that begins with examples, which is what most people look for.
class ExamplesFirst : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    if (mode != CLI::AppFormatMode::Normal) {
      return CLI::Formatter::make_help(app, std::move(name), mode);
    }
    std::string text = make_description(app);
    if (!app->get_footer().empty()) {
      text += "\nExamples:\n" + app->get_footer() + "\n\n";
    }
    text += make_usage(app, std::move(name));
    text += make_positionals(app);
    text += make_groups(app, mode);
    text += make_subcommands(app, mode);
    if (app->get_parent() != nullptr) {
      text += "\nAlso --server ADDRESS and --json, as in 'sluice --help'.\n";
    }
    return text;
  }

  /// The kind of value that an option takes, without the ranges and lists that CLI11 adds.
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_size() == 0) {
      return "";
    }
    std::string type = option->get_type_name();
    type = type.substr(0, type.find(':'));
    std::string text = " " + (type == "INT" ? "N" : type == "FLOAT" ? "X" : type);
    if (option->get_expected_min() > 1) {
      text += " ...";
    }
    return text;
  }
};

ExitCode exit_code_of(client::ErrorKind kind) {
  return kind == client::ErrorKind::invalid_argument ? ExitCode::usage : ExitCode::refused;
}

}  // namespace

client::Connection Program::connect(client::ConnectionOptions options) const {
  std::string address = server.empty() ? address_of_environment() : server;
  if (address.empty()) {
    address = usual_address;
  }
  return client::Connection(address, std::move(options));
}

bool Program::names_server() const { return !server.empty() || !address_of_environment().empty(); }

AnyServer::AnyServer(const Program& program)
    : own_(program.names_server() ? nullptr
                                  : std::make_unique<client::PrivateServer>(
                                        client::PrivateServerOptions{.stop = stop_on_interrupt()})),
      connection_(own_ ? client::Connection(own_->address(), {.stop = stop_on_interrupt()})
                       : program.connect({.stop = stop_on_interrupt()})) {}

AnyServer::~AnyServer() {
  if (own_ && was_interrupted()) {
    own_->stop(interrupt_patience);
  }
}

std::string session_resource_name(const std::string& session) {
  return session.starts_with("sessions/") ? session : "sessions/" + session;
}

std::shared_ptr<CLI::App> make_app(Program& program) {
  auto app = std::make_shared<CLI::App>(
      "sluice: simulates fluids and cloth that touch each other, here or on a server.", "sluice");
  app->formatter(std::make_shared<ExamplesFirst>());
  app->get_formatter()->column_width(34);
  app->footer(
      "  sluice run scene.json -o frames          simulate here, write VTK files for ParaView\n"
      "  sluice run scene.json --mp4 film.mp4     ... and a film\n"
      "  sluice submit scene.json                 hand it to a server that is running\n"
      "  sluice scenes save water_on_sloped_cloth a scene to begin with\n"
      "\n"
      "Exit codes: 0 done, 1 the session failed, 2 wrong usage (as no command) or invalid scene,\n"
      "3 server unreachable or refused, 4 verify found something, 130 interrupted.");
  app->add_option("--server", program.server,
                  "Server as HOST:PORT or unix:PATH; if not given, SLUICE_SERVER of the "
                  "environment, else 127.0.0.1:7780");
  app->add_flag("--json", program.json, "Print data as JSON, one value a line");
  app->set_version_flag("--version", fmt::format("sluice {}", client::version()));
  app->require_subcommand(1);
  app->fallthrough();
  const Command root(*app);
  add_run_command(root, program);
  add_submit_command(root, program);
  add_session_commands(root, program);
  add_watch_command(root, program);
  add_frames_command(root, program);
  add_render_command(root, program);
  add_verify_command(root, program);
  add_steer_command(root, program);
  add_scene_commands(root, program);
  add_server_command(root, program);
  add_version_command(root, program);
  add_completion_command(root, program);
  add_help_command(root, program);
  add_man_command(root, program);
  return app;
}

ExitCode run_program(int argument_count, char** arguments) {
  Program program;
  const auto app = make_app(program);
  if (argument_count <= 1) {
    // Help for people; for a script whose command came out empty it is an error all the same.
    print_data(short_help(*app));
    return ExitCode::usage;
  }
  try {
    app->parse(argument_count, arguments);
  } catch (const CLI::CallForVersion&) {
    const bool json = std::any_of(arguments, arguments + argument_count,
                                  [](std::string_view word) { return word == "--json"; });
    print_version(json);
    return ExitCode::done;
  } catch (const CLI::Success&) {
    print_data(help_text(chosen_command(*app)));
    return ExitCode::done;
  } catch (const CLI::ParseError& error) {
    print_message(in_words(*app, error));
    return ExitCode::usage;
  }
  try {
    const ExitCode code = program.action();
    return was_interrupted() ? ExitCode::interrupted : code;
  } catch (const CommandError& error) {
    print_message(error.what());
    return was_interrupted() ? ExitCode::interrupted : error.code();
  } catch (const files::FileError& error) {
    const bool is_usage = error.fault() == files::FileFault::other_content;
    print_message(error.what() +
                  std::string(is_usage ? ": --overwrite replaces it, or name another place" : ""));
    if (was_interrupted()) {
      return ExitCode::interrupted;
    }
    return is_usage ? ExitCode::usage : ExitCode::failed;
  } catch (const client::Error& error) {
    if (was_interrupted()) {
      print_message("interrupted");
      return ExitCode::interrupted;
    }
    print_error(error);
    return exit_code_of(error.kind());
  }
}

}  // namespace sluice::cli
