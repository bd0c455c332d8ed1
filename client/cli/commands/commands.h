// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "client/cli/export/frame_export.h"
#include "client/cli/program.h"

// Each adds commands to the command line; parsing one sets `Program::action`.
namespace sluice::cli {

void add_run_command(CLI::App& app, Program& program);
void add_submit_command(CLI::App& app, Program& program);
void add_session_commands(CLI::App& app, Program& program);  ///< list get pause ... delete
void add_watch_command(CLI::App& app, Program& program);
void add_frames_command(CLI::App& app, Program& program);
void add_render_command(CLI::App& app, Program& program);
void add_verify_command(CLI::App& app, Program& program);
void add_steer_command(CLI::App& app, Program& program);
void add_scene_commands(CLI::App& app, Program& program);  ///< validate, scenes
void add_server_command(CLI::App& app, Program& program);
void add_version_command(CLI::App& app, Program& program);
void add_completion_command(CLI::App& app, Program& program);
void add_help_command(CLI::App& app, Program& program);
void add_man_command(CLI::App& app, Program& program);

/// What `sluice` without a word prints: examples, the names of the commands, and where more is.
[[nodiscard]] std::string short_help(const CLI::App& app);

/// What `help COMMAND` and `COMMAND --help` print.
void print_help(const CLI::App& command);

/// What `version` and `--version` print.
void print_version(bool json);

/// Adds `--format` and `--surface` to a command that writes frames to files.
void add_export_options(CLI::App& command, ExportOptions& options);

}  // namespace sluice::cli
