// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <variant>

#include "server/api/server.h"
#include "server/web/settings.h"

namespace sluice::sluiced {

enum class LogFormat { text, json };

/// Everything that can be set, with its default.
struct Settings {
  api::ServerSettings server;
  bool serves_web = true;
  web::WebSettings web;
  std::string log_level = "info";
  LogFormat log_format = LogFormat::text;
  bool probes = false;  ///< Ask the server at `server.listen` instead of being one.
};

/// What was asked for on the command line instead of serving, or what was wrong with it.
struct ExitNow {
  int code;
};

/// Reads flags, then SLUICE_* environment variables, then the file of --config, the first that
/// names a setting counting. Prints help, version and errors itself.
[[nodiscard]] std::variant<Settings, ExitNow> read_settings(int argc, char** argv);

}  // namespace sluice::sluiced
