// SPDX-License-Identifier: Apache-2.0
#include "client/cli/commands/submission.h"

#include <google/protobuf/util/json_util.h>

#include <fstream>
#include <sstream>

#include "client/cli/command_error.h"
#include "client/cli/message_json.h"
#include "client/cli/output.h"
#include "client/cli/visible_text.h"
#include "sluice/error.h"

namespace sluice::cli {

void SubmissionOptions::add_to(CLI::App& command) {
  command.add_option("--frames", frame_count, "Frames to compute; if not given, the scene's")
      ->check(CLI::Range(1, 1'000'000));
  command
      .add_option("--threads", thread_count,
                  "Threads of the solver; if not given, the server's setting")
      ->check(CLI::Range(1, 4096));
  command
      .add_option("--checkpoint-every", checkpoint_interval,
                  "Frames between checkpoints; if not given, 10")
      ->check(CLI::Range(1, 1'000'000));
  command.add_flag("--certify", certify,
                   "Check every substep for crossings, which costs some time, and say so in each "
                   "frame's statistics ('sluice verify')");
  command.add_option("--commands", commands,
                     "File of commands to repeat, as 'sluice get NAME --commands' prints them");
}

std::vector<v1::RecordedCommand> SubmissionOptions::recorded_commands() const {
  if (commands.empty()) {
    return {};
  }
  std::ifstream file(commands, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) {
    throw CommandError(ExitCode::usage, "cannot read '" + visible(commands) + "'");
  }
  v1::ListCommandsResponse list;
  const auto status = google::protobuf::util::JsonStringToMessage(text.str(), &list);
  if (!status.ok()) {
    throw CommandError(ExitCode::usage, "'" + commands +
                                            "' is not what 'sluice get NAME --commands' prints: " +
                                            std::string(status.message()));
  }
  return {list.commands().begin(), list.commands().end()};
}

v1::RunOptions SubmissionOptions::run_options() const {
  v1::RunOptions run;
  if (frame_count) {
    run.set_frame_count(*frame_count);
  }
  if (thread_count) {
    run.set_thread_count(*thread_count);
  }
  if (checkpoint_interval) {
    run.set_checkpoint_interval_frames(*checkpoint_interval);
  }
  if (certify) {
    run.set_certify(true);
  }
  return run;
}

client::SceneFile read_scene(const std::filesystem::path& path) {
  try {
    return client::read_scene_file(path);
  } catch (const client::Error& error) {
    throw CommandError(ExitCode::usage, error.what());
  }
}

std::optional<v1::Scene> prepare_scene(const client::Connection& connection,
                                       const std::string& path, bool json) {
  const client::CheckedScene checked = client::check_scene(connection, read_scene(path));
  print_problems(checked.report);
  if (!checked.valid) {
    if (json) {
      print_json(to_json(checked.report));
    }
    print_message("the scene '" + visible(path) + "' is invalid");
    return {};
  }
  return checked.scene;
}

}  // namespace sluice::cli
