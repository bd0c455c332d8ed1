// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <variant>

#include "server/session/environment.h"

namespace sluice::api {

enum class LogFormat { text, json };

/// Everything that can be set, with its default.
struct ServerSettings {
  std::filesystem::path data_directory = "sluice-data";
  std::string listen = "127.0.0.1:7780";
  std::filesystem::path worker_binary;     ///< Empty: sluice-worker next to sluiced.
  std::filesystem::path scenes_directory;  ///< Empty: those that come with the program.
  session::Settings session;
  int worker_nice = 5;
  std::string log_level = "info";
  LogFormat log_format = LogFormat::text;
};

/// What was asked for on the command line instead of serving, or what was wrong with it.
struct ExitNow {
  int code;
};

/// Reads flags, then SLUICE_* environment variables, then the file of --config, the first that
/// names a setting counting. Prints help, version and errors itself.
[[nodiscard]] std::variant<ServerSettings, ExitNow> read_settings(int argc, char** argv);

}  // namespace sluice::api
