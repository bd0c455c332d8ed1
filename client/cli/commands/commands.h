// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/cli/command.h"
#include "client/cli/export/frame_export.h"
#include "client/cli/program.h"

// Each adds commands to `root`, the program; parsing one sets `Program::action`.
namespace sluice::cli {

void add_run_command(Command root, Program& program);
void add_submit_command(Command root, Program& program);
void add_session_commands(Command root, Program& program);  ///< list get pause ... delete
void add_watch_command(Command root, Program& program);
void add_frames_command(Command root, Program& program);
void add_render_command(Command root, Program& program);
void add_verify_command(Command root, Program& program);
void add_steer_command(Command root, Program& program);
void add_scene_commands(Command root, Program& program);  ///< validate, scenes
void add_server_command(Command root, Program& program);
void add_version_command(Command root, Program& program);
void add_completion_command(Command root, Program& program);
void add_help_command(Command root, Program& program);
void add_man_command(Command root, Program& program);

/// What `version` and `--version` print.
void print_version(bool json);

/// Adds `--format` and `--surface` to a command that writes frames to files.
void add_export_options(Command command, ExportOptions& options);

}  // namespace sluice::cli
