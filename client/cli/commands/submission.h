// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "client/cli/command.h"
#include "sluice/connection.h"
#include "sluice/scene_file.h"
#include "sluice/v1/sessions.pb.h"

namespace sluice::cli {

/// Options of `run` and `submit` that say how a scene is to be run.
struct SubmissionOptions {
  std::string scene;
  std::optional<std::int64_t> frame_count;
  std::optional<std::int32_t> thread_count;
  std::optional<std::int32_t> checkpoint_interval;
  bool certify{false};               ///< Check every substep for crossings.
  std::vector<std::string> fail_on;  ///< Limits in the form that --fail-on takes.
  std::string commands;              ///< File with commands to repeat; none if empty.

  void add_to(Command command);
  /// Whether an option about how a new session runs was given; the scene does not count.
  [[nodiscard]] bool says_how_to_run() const {
    return frame_count || thread_count || checkpoint_interval || certify || !fail_on.empty() ||
           !commands.empty();
  }
  [[nodiscard]] v1::RunOptions run_options() const;
  /// The commands of the file `commands`. Throws `CommandError` (usage) when it cannot be read.
  [[nodiscard]] std::vector<v1::RecordedCommand> recorded_commands() const;
};

/// Reads a scene. Throws `CommandError` (usage) when the file cannot be read.
[[nodiscard]] client::SceneFile read_scene(const std::filesystem::path& path);

/// Uploads and checks a scene and prints its problems, with `json` also as data when it is invalid.
/// Returns nothing for an invalid one.
[[nodiscard]] std::optional<v1::Scene> prepare_scene(const client::Connection& connection,
                                                     const std::string& path, bool json);

}  // namespace sluice::cli
